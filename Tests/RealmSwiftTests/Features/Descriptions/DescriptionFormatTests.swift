import Foundation
import RealmSwift
import Testing

@Suite struct DescriptionFormatTests {
    let directory = TestDirectory()

    @Test func eachPropertyOnALine() throws {
        let keyed = Keyed(value: ["id": 7, "text": "seven", "next": ["id": 8]])
        let text = """
            Keyed {
            \tid = 7;
            \ttext = seven;
            \tnumber = (null);
            \tnext = Keyed {
            \t\tid = 8;
            \t\ttext = none;
            \t\tnumber = (null);
            \t\tnext = (null);
            \t};
            }
            """
        #expect(keyed.description == text)
        let realm = try directory.realm()
        try realm.write { realm.add(keyed) }
        #expect(keyed.description == text)
        try realm.write { realm.delete(keyed) }
        #expect(keyed.description == "[invalid object]")
    }

    @Test func fiveLevelsDeep() {
        let keyed = Keyed(value: ["id": 1])
        keyed.next = keyed
        let text = keyed.description
        keyed.next = nil
        #expect(text.components(separatedBy: "Keyed {").count - 1 == 5)
        #expect(text.contains("next = <Maximum depth exceeded>;"))
    }

    @Test func aHundredElements() {
        let owner = Owner(value: ["Ann", [], (0..<150).map(String.init)])
        let text = owner.description
        #expect(text.contains("\tnicknames = List<string> <0x"))
        #expect(text.contains("\t\t[99] 99\n\t\t... 50 objects skipped.\n\t);"))
        #expect(!text.contains("[100]"))
    }

    @Test func longDataIsCut() {
        let everything = Everything()
        everything.data = Data(0..<24)
        everything.optionalData = Data(0..<30)
        let shown = "000102030405060708090a0b0c0d0e0f1011121314151617"
        #expect(everything.description.contains("\tdata = <\(shown)>;\n"))
        #expect(
            everything.description.contains("\toptionalData = <\(shown)… — 30 total bytes>;\n"))
    }

    @Test func booleansAreNumbers() {
        let everything = Everything(value: ["bool": true, "optionalBool": false])
        #expect(everything.description.contains("\tbool = 1;\n"))
        #expect(everything.description.contains("\toptionalBool = 0;\n"))
    }

    @Test func listsPrintTheirElements() {
        let list = List<Int>()
        list.append(objectsIn: [7, 8])
        #expect(list.description.hasPrefix("List<int> <0x"))
        #expect(list.description.hasSuffix("> (\n\t[0] 7,\n\t[1] 8\n)"))
    }
}
