import Foundation
import RealmSwift
import Testing

private class Beast: Object {
    @Persisted var name: String
    @Persisted(indexed: true) var legs = 4

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Lion: Beast {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var mother: Lion?
    @Persisted var kittens: List<Lion>
    @Persisted var names: List<String?>
}

@Suite struct SchemaDescriptionTests {
    let directory = TestDirectory()

    @Test func describesALink() throws {
        let property = try #require(Lion().objectSchema["mother"])
        #expect(
            property.description == """
                mother {
                \ttype = object;
                \tobjectClassName = Lion;
                \tlinkOriginPropertyName = (null);
                \tcolumnName = mother;
                \tindexed = NO;
                \tisPrimary = NO;
                \tarray = NO;
                \tset = NO;
                \tdictionary = NO;
                \toptional = YES;
                }
                """)
    }

    @Test func describesClasses() throws {
        let schema = try directory.realm([Beast.self]).schema
        let text = """
            Beast {
            \tname {
            \t\ttype = string;
            \t\tcolumnName = name;
            \t\tindexed = NO;
            \t\tisPrimary = NO;
            \t\tarray = NO;
            \t\tset = NO;
            \t\tdictionary = NO;
            \t\toptional = NO;
            \t}
            \tlegs {
            \t\ttype = int;
            \t\tcolumnName = legs;
            \t\tindexed = YES;
            \t\tisPrimary = NO;
            \t\tarray = NO;
            \t\tset = NO;
            \t\tdictionary = NO;
            \t\toptional = NO;
            \t}
            }
            """
        #expect(schema["Beast"]?.description == text)
        let nested = text.split(separator: "\n").map { "\t\($0)\n" }.joined()
        #expect(schema.description == "Schema {\n\(nested)}")
    }

    @Test func equalityIsThatOfTheStoredForm() throws {
        let schema = try directory.realm([Lion.self]).schema
        #expect(schema == (try directory.realm([Lion.self]).schema))
        #expect(schema["Lion"] != Beast().objectSchema)
        #expect(Lion().objectSchema["name"] == Beast().objectSchema["name"])
        #expect(Lion().objectSchema["name"] != Beast().objectSchema["legs"])
    }
}
