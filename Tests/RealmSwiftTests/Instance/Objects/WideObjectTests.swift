import Foundation
import RealmSwift
import Testing
import ToolSupport

/// A class wider than a page can hold for many rows, so that the engine spills columns.
class Wide: Object {
    @Persisted var number: Int
    @Persisted var text0: String
    @Persisted var text1: String?
    @Persisted var text2: String
    @Persisted var text3: String
    @Persisted var text4: String
    @Persisted var data0: Data
    @Persisted var data1: Data?
    @Persisted var uuid0: UUID
    @Persisted var uuid1: UUID
    @Persisted var uuid2: UUID?
    @Persisted var date0: Date
    @Persisted var double0: Double
    @Persisted var flag: Bool
}

@Suite struct WideObjectTests {
    let directory = TestDirectory()

    @Test func everyValueIsReadBack() throws {
        let realm = try directory.realm([Wide.self])
        var random = SeededGenerator(seed: 7)
        var expected: [(Int, String, String?, Data?, UUID, UUID?)] = []
        try realm.write {
            for number in 0..<400 {
                let wide = Wide()
                wide.number = number
                let length = Int.random(in: 0..<300, using: &random)
                wide.text0 = String(repeating: "a", count: length)
                wide.text1 = length % 3 == 0 ? nil : "\(length)"
                wide.text2 = String(repeating: "c", count: number % 50 == 0 ? 20_000 : 3)
                wide.data1 = length % 5 == 0 ? nil : Data(count: length)
                wide.uuid2 = length % 2 == 0 ? nil : UUID()
                wide.flag = number % 2 == 0
                expected.append(
                    (number, wide.text0, wide.text1, wide.data1, wide.uuid0, wide.uuid2))
                realm.add(wide)
            }
        }
        for (wide, values) in zip(realm.objects(Wide.self), expected) {
            #expect(wide.number == values.0 && wide.text0 == values.1 && wide.text1 == values.2)
            #expect(wide.data1 == values.3 && wide.uuid0 == values.4 && wide.uuid2 == values.5)
            #expect(wide.text2.utf8.count == (values.0 % 50 == 0 ? 20_000 : 3))
            #expect(wide.flag == (values.0 % 2 == 0))
        }
    }

    @Test func everyValueCanBeChanged() throws {
        let realm = try directory.realm([Wide.self])
        try realm.write { for _ in 0..<300 { realm.add(Wide()) } }
        try realm.write {
            for (number, wide) in realm.objects(Wide.self).enumerated() {
                wide.number = number
                wide.text3 = String(repeating: "\(number % 10)", count: number)
                wide.text1 = wide.text3
                wide.uuid2 = wide.uuid1
            }
        }
        for (number, wide) in realm.objects(Wide.self).enumerated() {
            #expect(wide.number == number && wide.text3.count == number)
            #expect(wide.text1 == wide.text3 && wide.uuid2 == wide.uuid1)
        }
    }
}

@Suite struct DefaultRealmTests {
    @Test func opensWithAllClassesOfTheProcess() async {
        await #expect(processExitsWith: .success) {
            let directory = TestDirectory()
            setenv("XDG_DATA_HOME", directory.url.path, 1)
            let realm = try Realm()
            try realm.write {
                realm.add(Cat(value: ["name": "Tom"]))
                realm.add(Namespace.Nested(value: ["value": 1]))
                realm.add(FromGeneric(value: ["base": 1, "own": "x"]))
            }
            let url = try #require(realm.configuration.fileURL)
            precondition(url.path.hasPrefix(directory.url.path))
            precondition(FileManager.default.fileExists(atPath: url.path))
            precondition(realm.objects(FromGeneric.self).first?.own == "x")
            precondition(realm.objects(Cat.self).first?.legs == 4)
            let again = try Realm()
            precondition(realm == again)
        }
    }
}
