import Foundation
import RealmSwift
import Testing

// "Models", "Model inheritance" and "Current limitations" of the guide, and their promises.

private enum ModelSample {
    // Dog model
    class Dog: Object {
        @Persisted var name = ""
        @Persisted var owner: Person?  // Properties can be optional
    }

    // Person model
    class Person: Object {
        @Persisted var name = ""
        @Persisted var birthdate = Date(timeIntervalSince1970: 1)
        @Persisted var dogs: List<Dog>

        func greeting() -> String { "I am \(name)" }
    }

    static let types: [ObjectBase.Type] = [Dog.self, Person.self]
}

private protocol Named { var name: String { get } }
extension ModelSample.Dog: Named {}
extension ModelSample.Person: Named {}

/// "Custom initializers for Object subclasses", "Setters and getters", "Auto-incrementing
/// properties", "Why doesn't Realm support Swift structs as models?".
private enum LimitationSample {
    class MyModel: Object {
        @Persisted var myValue = ""

        convenience init(myValue: String) {
            self.init()  // Please note this says 'self' and not 'super'
            self.myValue = myValue
        }

        var upper: String {
            get { myValue.uppercased() }
            set { myValue = newValue.lowercased() }
        }
    }

    class Entry: Object {
        @Persisted(primaryKey: true) var id = UUID().uuidString
        @Persisted var createdAt = Date()
    }

    class SomeSwiftType {
        lazy var entries = realm.objects(Entry.self)
        private let realm: Realm

        init(realm: Realm) { self.realm = realm }
    }
}

private enum InheritanceSample {
    class Animal: Object {
        @Persisted var name = ""
        @Persisted var age = 0

        class var sound: String { "none" }
        func celebrate() { age += 1 }
    }

    class Duck: Animal {
        @Persisted var swims = true

        override class var sound: String { "quack" }
    }

    class Mallard: Duck {
        @Persisted var ringed: Bool
    }

    class Keyed: Object {
        @Persisted(primaryKey: true) var id: Int
    }

    class Named: Keyed {
        @Persisted var name = ""
    }

    static let types: [ObjectBase.Type] = [Animal.self, Duck.self, Mallard.self]

    static func rename(_ animal: Animal, to name: String) { animal.name = name }
}

/// "Class names are limited to a maximum of 57 UTF8 characters", "property names … of 63".
private enum Limits {
    class Of57CharactersWithItsOuterTypeAndNotASingleOneMore: Object {
        @Persisted var aPropertyNameThatHasSixtyThreeCharactersAndThatIsWhatIsAllowed0: Int
    }
}

@Suite struct ModelSamples {
    private typealias Dog = ModelSample.Dog
    private typealias Person = ModelSample.Person

    @Test func modelsLinkToOtherModelsAndHoldListsOfThem() throws {
        let realm = try temporaryRealm(ModelSample.types)
        let jim = Person(value: ["name": "Jim"])
        jim.dogs.append(Dog(value: ["name": "Rex", "owner": jim]))
        try realm.write { realm.add(jim) }
        #expect(jim.dogs.count == 1 && jim.dogs[0].owner?.isSameObject(as: jim) == true)
        #expect(jim.birthdate == Date(timeIntervalSince1970: 1))
    }

    @Test func modelsBehaveLikeOtherSwiftClasses() throws {
        let realm = try temporaryRealm(ModelSample.types)
        let jim = Person(value: ["name": "Jim"])
        let rex = Dog(value: ["name": "Rex"])
        try realm.write { realm.add([jim, rex] as [Object]) }
        #expect(jim.greeting() == "I am Jim")
        let named: [any Named] = [jim, rex]
        #expect(named.map(\.name) == ["Jim", "Rex"])
    }

    @Test func listsOfModelsModelNestedData() throws {
        let realm = try temporaryRealm(ModelSample.types)
        let jim = try realm.write {
            realm.create(
                Person.self,
                value: ["name": "Jim", "dogs": [["name": "Rex"], ["name": "Fido"]]])
        }
        #expect(jim.dogs.map(\.name) == ["Rex", "Fido"])
    }

    @Test func customInitializersAreConvenienceInitializers() throws {
        let realm = try temporaryRealm([LimitationSample.MyModel.self])
        let model = LimitationSample.MyModel(myValue: "text")
        try realm.write { realm.add(model) }
        #expect(realm.objects(LimitationSample.MyModel.self).first?.myValue == "text")
    }

    @Test func ignoredPropertiesMayOverrideAccessors() throws {
        let realm = try temporaryRealm([LimitationSample.MyModel.self])
        let model = LimitationSample.MyModel(myValue: "text")
        try realm.write {
            realm.add(model)
            model.upper = "OTHER"
        }
        #expect(model.myValue == "other" && model.upper == "OTHER")
        #expect(model.objectSchema.properties.map(\.name) == ["myValue"])
    }

    @Test func aUniqueStringIsASufficientPrimaryKey() throws {
        let realm = try temporaryRealm([LimitationSample.Entry.self])
        try realm.write { for _ in 0..<50 { realm.add(LimitationSample.Entry()) } }
        let entries = realm.objects(LimitationSample.Entry.self)
        #expect(Set(entries.map(\.id)).count == 50)
        #expect(entries.allSatisfy { UUID(uuidString: $0.id) != nil })
    }

    @Test func aDateOfCreationPreservesTheOrderOfInsertion() throws {
        let realm = try temporaryRealm([LimitationSample.Entry.self])
        let before = Date()
        try realm.write { for _ in 0..<5 { realm.add(LimitationSample.Entry()) } }
        let dates = realm.objects(LimitationSample.Entry.self).map(\.createdAt)
        #expect(dates.allSatisfy { (before...Date()).contains($0) })
    }

    @Test func lazyPropertiesDeferTheUseOfRealm() throws {
        let realm = try temporaryRealm([LimitationSample.Entry.self])
        let type = LimitationSample.SomeSwiftType(realm: realm)
        try realm.write { realm.add(LimitationSample.Entry()) }
        #expect(type.entries.count == 1)
    }

    @Test func standaloneObjectsAreCopiesOfPersistedOnes() throws {
        let realm = try temporaryRealm([LimitationSample.MyModel.self])
        let persisted = LimitationSample.MyModel(myValue: "old")
        try realm.write { realm.add(persisted) }
        let standalone = LimitationSample.MyModel(value: persisted)
        standalone.myValue = "new"  // outside of a write transaction
        #expect(standalone.realm == nil && persisted.myValue == "old")
        #expect(realm.objects(LimitationSample.MyModel.self).count == 1)
    }

    @Test func longestNames() throws {
        typealias Longest = Limits.Of57CharactersWithItsOuterTypeAndNotASingleOneMore
        #expect(Longest.className().utf8.count == 57)
        let realm = try temporaryRealm([Longest.self])
        let property = try #require(realm.schema.objectSchema.first?.properties.first)
        #expect(property.name.utf8.count == 63)
        let object = try realm.write { realm.create(Longest.self, value: [7]) }
        #expect(object[property.name] as? Int == 7)
    }
}

@Suite struct ModelInheritanceRules {
    private typealias Animal = InheritanceSample.Animal
    private typealias Duck = InheritanceSample.Duck
    private typealias Mallard = InheritanceSample.Mallard

    @Test func membersOfParentsAreInherited() throws {
        let realm = try temporaryRealm(InheritanceSample.types)
        let duck = try realm.write { realm.create(Duck.self, value: ["name": "Gustav", "age": 2]) }
        try realm.write { duck.celebrate() }
        #expect(duck.name == "Gustav" && duck.age == 3 && duck.swims)
        #expect(type(of: duck).sound == "quack" && Mallard.sound == "quack")
    }

    @Test func propertiesOfTheSuperclassComeFirst() {
        let names = Mallard().objectSchema.properties.map(\.name)
        #expect(names == ["name", "age", "swims", "ringed"])
        #expect(Duck(value: ["Gustav", 4, false]).age == 4)
    }

    @Test func functionsThatTakeParentsOperateOnSubclasses() throws {
        let realm = try temporaryRealm(InheritanceSample.types)
        let mallard = Mallard()
        try realm.write {
            realm.add(mallard)
            InheritanceSample.rename(mallard, to: "Ann")
        }
        #expect(realm.objects(Mallard.self).first?.name == "Ann")
    }

    @Test func primaryKeysAreInherited() throws {
        typealias Named = InheritanceSample.Named
        let realm = try temporaryRealm([InheritanceSample.Keyed.self, Named.self])
        try realm.write {
            realm.create(InheritanceSample.Keyed.self, value: [1])
            realm.create(Named.self, value: [1, "old"])
            realm.create(Named.self, value: [1, "new"], update: .modified)
        }
        #expect(Named().objectSchema.primaryKeyProperty?.name == "id")
        #expect(realm.object(ofType: Named.self, forPrimaryKey: 1)?.name == "new")
    }

    @Test func everyClassHasATableOfItsOwn() throws {
        let realm = try temporaryRealm(InheritanceSample.types)
        try realm.write { realm.add([Animal(), Duck(), Duck(), Mallard()]) }
        #expect(realm.objects(Animal.self).count == 1)
        #expect(realm.objects(Duck.self).count == 2)
        #expect(realm.objects(Mallard.self).count == 1)
    }
}
