import Foundation
import Testing

@testable import RealmSwift

private class PrivateModel: Object {
    @Persisted var value: Int
}

private final class FileprivateModel: Object {
    @Persisted var value: Int
}

public class PublicModel: Object {
    @Persisted var value: Int
}

enum Namespace {
    class Nested: Object {
        @Persisted var value: Int
        class Deeper: Object { @Persisted var value: Int }
    }
}

extension Namespace {
    class InExtension: Object { @Persisted var value: Int }
}

class GenericBase<T>: Object {
    @Persisted var base: Int
}
class FromGeneric: GenericBase<Int> {
    @Persisted var own: String
}

class Animal: Object {
    @Persisted var legs = 4
    var ignored = 1
    var computed: Int { legs * 2 }
}
class Cat: Animal {
    @Persisted(indexed: true) var name: String
}

class LeftOut: Object {
    @Persisted var value: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct DiscoveryTests {
    private func discovered() -> Schema { SchemaModel.discovered.publicSchema }

    @Test func findsClassesOfEveryVisibilityAndPlace() throws {
        class Local: Object {
            @Persisted var value: Int
        }
        let schema = discovered()
        for name in [
            "PrivateModel", "FileprivateModel", "PublicModel", "Namespace_Nested",
            "Namespace_Nested_Deeper", "Namespace_InExtension", "FromGeneric", "Animal", "Cat",
            "Person", "DiscoveryTests_Local",
        ] {
            #expect(schema[name] != nil, "\(name) was not found")
        }
    }

    @Test func leavesOutBaseClassesAndThoseThatAskForIt() throws {
        let schema = discovered()
        for name in ["RealmSwiftObject", "Object", "ObjectBase", "LeftOut", "GenericBase"] {
            #expect(schema[name] == nil)
        }
    }

    @Test func namesNestedClassesAfterTheOnesAroundThem() {
        #expect(Namespace.Nested.className() == "Namespace_Nested")
        #expect(Namespace.Nested.Deeper.className() == "Namespace_Nested_Deeper")
        #expect(Namespace.InExtension.className() == "Namespace_InExtension")
        #expect(PrivateModel.className() == "PrivateModel")
        #expect(Person.className() == "Person")
    }

    @Test func listsPropertiesOfSuperclassesFirst() {
        #expect(Cat().objectSchema.properties.map(\.name) == ["legs", "name"])
        #expect(FromGeneric().objectSchema.properties.map(\.name) == ["base", "own"])
    }

    @Test func describesProperties() throws {
        let schema = Owner().objectSchema
        let name = try #require(schema["name"])
        #expect(name.type == .string && name.isIndexed && !name.isOptional && !name.isArray)
        #expect(schema.primaryKeyProperty == name)
        let dogs = try #require(schema["dogs"])
        #expect(dogs.type == .object && dogs.isArray && dogs.objectClassName == "Dog")
        #expect(!dogs.isOptional)
        let best = try #require(schema["best"])
        #expect(best.type == .object && best.isOptional && best.objectClassName == "Dog")
        #expect(try #require(Cat().objectSchema["name"]).isIndexed)
        #expect(schema["missing"] == nil)
        #expect(schema.className == "Owner" && schema.objectClass == Owner.self)
    }

    @Test func descriptionsHaveTheDocumentedForm() throws {
        let property = try #require(Cat().objectSchema["name"])
        let lines = [
            "name {", "\ttype = string;", "\tcolumnName = name;", "\tindexed = YES;",
            "\tisPrimary = NO;", "\tarray = NO;", "\tset = NO;", "\tdictionary = NO;",
            "\toptional = NO;", "}",
        ]
        #expect(property.description == lines.joined(separator: "\n"))
        let link = try #require(Dog().objectSchema["owner"])
        let text = "type = object;\n\tobjectClassName = Owner;\n\tlinkOriginPropertyName = (null);"
        #expect(link.description.contains(text))
        let cat = Cat().objectSchema.description
        #expect(cat.hasPrefix("Cat {\n\tlegs {\n\t\ttype = int;\n"))
        #expect(cat.hasSuffix("\t\toptional = NO;\n\t}\n}"))
    }
}
