import Foundation
import RealmSwift
import Testing

// `Schema`, `ObjectSchema` and `Property`: their contents and descriptions.

private enum Introspected {
    class Dog: Object {
        @Persisted var name = ""
        @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
    }

    class Person: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted(indexed: true) var name: String?
        @Persisted var best: Dog?
        @Persisted var dogs: List<Dog>
        @Persisted var walked: MutableSet<Dog>
        @Persisted var byName: Map<String, Dog?>
        @Persisted var scores: List<Int?>
        @Persisted var any: AnyRealmValue
        var ignored = 0
    }

    class Address: EmbeddedObject {
        @Persisted var street = ""
    }

    class Renamed: Object {
        @Persisted(primaryKey: true) var key: Int
        @Persisted var title = ""
        override class func propertiesMapping() -> [String: String] {
            ["key": "_id", "title": "name_of_it"]
        }
    }

    class Home: Object {
        @Persisted var address: Address?
    }

    class Cottage: Home {
        @Persisted(indexed: true) var name = ""
    }

    static let types: [ObjectBase.Type] = [
        Dog.self, Person.self, Address.self, Renamed.self, Home.self,
    ]
}

@Suite struct SchemaIntrospectionRules {
    let realm: Realm

    init() throws { realm = try temporaryRealm(Introspected.types) }

    @Test func theSchemaListsTheClassesOfTheRealm() throws {
        let names = Set(realm.schema.objectSchema.map(\.className))
        #expect(names == Set(Introspected.types.map { $0.className() }))
        #expect(realm.schema["Introspected_Dog"]?.className == "Introspected_Dog")
        #expect(realm.schema["Cat"] == nil && realm.schema == realm.schema)
    }

    @Test func propertiesAreInOrderOfDeclaration() throws {
        let schema = try #require(realm.schema["Introspected_Person"])
        let names = ["id", "name", "best", "dogs", "walked", "byName", "scores", "any"]
        #expect(schema.properties.map(\.name) == names && schema["ignored"] == nil)
        #expect(schema.primaryKeyProperty?.name == "id" && !schema.isEmbedded)
        #expect(schema.objectClass is Introspected.Person.Type)
        #expect(schema == Introspected.Person().objectSchema)
    }

    @Test func typesOfProperties() throws {
        let schema = Introspected.Person().objectSchema
        let types = schema.properties.map(\.type)
        #expect(types == [.int, .string, .object, .object, .object, .object, .int, .any])
        #expect(schema.properties.filter(\.isArray).map(\.name) == ["dogs", "scores"])
        #expect(schema.properties.filter(\.isSet).map(\.name) == ["walked"])
        #expect(schema.properties.filter(\.isMap).map(\.name) == ["byName"])
        #expect(schema.properties.filter(\.isIndexed).map(\.name) == ["id", "name"])
        let classes = schema.properties.compactMap(\.objectClassName)
        #expect(classes == Array(repeating: "Introspected_Dog", count: 4))
    }

    @Test func linksAndMapsOfObjectsAreOptionalButNotListsAndSets() {
        let schema = Introspected.Person().objectSchema
        let optional = schema.properties.filter(\.isOptional).map(\.name)
        #expect(optional.filter { $0 != "any" } == ["name", "best", "byName", "scores"])
    }

    @Test func rawValuesOfPropertyTypes() {
        let types: [PropertyType] = [
            .int, .bool, .string, .data, .date, .float, .double, .object, .linkingObjects, .any,
            .objectId, .decimal128, .UUID,
        ]
        #expect(types.map(\.rawValue) == Array(0...12))
    }

    @Test func columnNamesDifferFromPropertyNamesByMapping() throws {
        let schema = Introspected.Renamed().objectSchema
        #expect(schema.properties.map(\.name) == ["key", "title"])
        #expect(schema.properties.map(\.columnName) == ["_id", "name_of_it"])
        let object = try realm.write {
            realm.create(Introspected.Renamed.self, value: ["key": 1, "title": "a"])
        }
        #expect(object.title == "a" && object.value(forKey: "title") as? String == "a")
        #expect(realm.object(ofType: Introspected.Renamed.self, forPrimaryKey: 1) == object)
    }

    @Test func propertiesPrint() throws {
        let schema = Introspected.Person().objectSchema
        #expect(
            schema["name"]?.description == """
                name {
                \ttype = string;
                \tcolumnName = name;
                \tindexed = YES;
                \tisPrimary = NO;
                \tarray = NO;
                \tset = NO;
                \tdictionary = NO;
                \toptional = YES;
                }
                """)
        #expect(
            schema["dogs"]?.description == """
                dogs {
                \ttype = object;
                \tobjectClassName = Introspected_Dog;
                \tlinkOriginPropertyName = (null);
                \tcolumnName = dogs;
                \tindexed = NO;
                \tisPrimary = NO;
                \tarray = YES;
                \tset = NO;
                \tdictionary = NO;
                \toptional = NO;
                }
                """)
    }

    @Test func schemasPrint() {
        let classes = realm.schema.objectSchema.map(\.description).joined(separator: "\n")
        let nested = classes.split(separator: "\n").map { "\t\($0)\n" }.joined()
        #expect(realm.schema.description == "Schema {\n\(nested)}")
    }

    @Test func equalityIsThatOfTheStoredForm() throws {
        let schema = try temporaryRealm(Introspected.types).schema
        #expect(schema == realm.schema)
        #expect(schema["Introspected_Home"] != Introspected.Cottage().objectSchema)
        let cottage = Introspected.Cottage().objectSchema
        #expect(cottage["address"] == Introspected.Home().objectSchema["address"])
        #expect(cottage["name"] != Introspected.Dog().objectSchema["name"])
    }

    @Test func objectSchemasPrint() throws {
        #expect(
            Introspected.Address().objectSchema.description == """
                Introspected_Address (embedded) {
                \tstreet {
                \t\ttype = string;
                \t\tcolumnName = street;
                \t\tindexed = NO;
                \t\tisPrimary = NO;
                \t\tarray = NO;
                \t\tset = NO;
                \t\tdictionary = NO;
                \t\toptional = NO;
                \t}
                }
                """)
        let dog = Introspected.Dog().objectSchema.description
        #expect(dog.hasPrefix("Introspected_Dog {\n\tname {\n"))
        #expect(
            dog.hasSuffix(
                """
                \towners {
                \t\ttype = linking objects;
                \t\tobjectClassName = Introspected_Person;
                \t\tlinkOriginPropertyName = dogs;
                \t\tcolumnName = owners;
                \t\tindexed = NO;
                \t\tisPrimary = NO;
                \t\tarray = YES;
                \t\tset = NO;
                \t\tdictionary = NO;
                \t\toptional = NO;
                \t}
                }
                """))
    }
}
