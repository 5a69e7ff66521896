import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import RealmTool
@testable import StorageEngine

/// What the Studio shows of a file.
@Suite struct InspectionTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["people.realm"]
    }

    private func json(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func rows(
        _ version: InspectedVersion, _ question: InspectedVersion.Question, from: Int = 0,
        count: Int = 100
    ) throws -> (count: Int, keys: [String], cells: [[Any]]) {
        let answer = try json(try version.rows(question, from: from, count: count))
        let rows = try #require(answer["rows"] as? [[String: Any]])
        return (
            try #require(answer["count"] as? Int), rows.compactMap { $0["key"] as? String },
            rows.compactMap { $0["cells"] as? [Any] }
        )
    }

    private func text(_ value: Any) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        return String(decoding: data, as: UTF8.self)
    }

    // MARK: Values

    @Test func cellsAreShortTextsOfEveryType() throws {
        try makePeople(path)
        let version = try InspectedFile(path: path, key: nil).newest()
        let people = try rows(version, .init(className: "ToolPerson"))
        #expect(people.count == 3)
        #expect(
            try people.cells[0].map(text) == [
                #""1""#, #""Ada""#, #""36""#, "null",
                #"{"count":2,"label":"[#0 Rex, #0 Rex]"}"#,
                #"{"class":"ToolAddress","embedded":"0","label":"{city: Zürich, rooms: [3, 1]}"}"#,
                #"{"count":2,"label":"[, b]"}"#,
                #"{"count":2,"label":"{none: null, x: 1.5}"}"#,
                #"{"type":"date","value":"2001-01-01T00:00:01Z"}"#,
            ])
        #expect(
            try text(people.cells[1][3])
                == #"{"class":"ToolPerson","label":"1 Ada","link":"0"}"#)
        let dogs = try rows(version, .init(className: "ToolDog"))
        #expect(
            try dogs.cells[0].map(text) == [
                #""Rex""#, #""2001-01-01T00:00:00.500Z""#, #"{"bytes":3,"hex":"00ff01"}"#,
            ])
    }

    @Test func aTextIsCutBetweenCharacters() throws {
        let realm = try openRealm(path)
        let long = String(repeating: "€", count: CellWriter.longestText)
        try realm.write { _ = realm.create(ToolPerson.self, value: ["id": 1, "name": long]) }
        let version = try InspectedFile(path: path, key: nil).newest()
        let cell = try rows(version, .init(className: "ToolPerson")).cells[0][1]
        let cut = try #require(cell as? [String: Any])
        #expect(cut["bytes"] as? Int == long.utf8.count)
        #expect(
            cut["text"] as? String == String(repeating: "€", count: CellWriter.longestText / 3))
    }

    @Test func theWholeValueComesInParts() throws {
        let realm = try openRealm(path)
        let long = String(repeating: "€uro", count: InspectedVersion.mostBytes / 4)
        let photo = Data(
            (0..<InspectedVersion.mostBytes + 10).map { UInt8(truncatingIfNeeded: $0) })
        try realm.write {
            realm.create(ToolPerson.self, value: ["id": 1, "name": long])
            let dog = ToolDog()
            dog.photo = photo
            realm.add(dog)
        }
        let version = try InspectedFile(path: path, key: nil).newest()
        func whole(_ property: String, _ className: String) throws -> String {
            var text = ""
            var from = 0
            while true {
                let part = try json(try version.value(of: property, 0, in: className, from: from))
                text += try #require(part["text"] as? String)
                from = try #require(part["next"] as? Int)
                if try from == #require(part["bytes"] as? Int) { return text }
            }
        }
        #expect(try whole("name", "ToolPerson") == long)
        let digits = photo.map { String(format: "%02x", $0) }.joined()
        #expect(try whole("photo", "ToolDog") == digits)
    }

    @Test func elementsComeInParts() throws {
        try makePeople(path)
        let version = try InspectedFile(path: path, key: nil).newest()
        let part = try json(
            try version.elements(of: "scores", 0, in: "ToolPerson", from: 1, count: 10))
        #expect(part["count"] as? Int == 2)
        #expect(try text(part["elements"] as Any) == #"[{"key":"x","value":"1.5"}]"#)
        let none = try json(
            try version.elements(of: "dogs", 0, in: "ToolPerson", from: 7, count: 10))
        #expect(try text(none["elements"] as Any) == "[]")
    }

    // MARK: Questions

    private func makeMany(_ count: Int) throws {
        let realm = try openRealm(path)
        try realm.write {
            for id in 0..<count {
                realm.create(
                    ToolPerson.self,
                    value: ["id": id, "name": "person \(id)", "age": id * 7 % 100] as [String: Any])
            }
        }
    }

    @Test func anOrderIsTheSameInEveryPart() throws {
        try makeMany(1000)
        let version = try InspectedFile(path: path, key: nil).newest()
        for order in ["age", "age:desc", "name"] {
            let question = InspectedVersion.Question(
                className: "ToolPerson", predicate: "age < 50", order: order)
            // The first part is found without sorting all; after the last one, all are known.
            #expect(!version.needsNoSearch(question))
            let first = try rows(version, question, from: 0, count: 100)
            #expect(!version.needsNoSearch(question))
            let last = try rows(version, question, from: 400, count: 100)
            #expect(version.needsNoSearch(question))
            let again = try rows(version, question, from: 0, count: 500)
            #expect(first.count == 500)
            #expect(again.keys.prefix(100) == first.keys[...], "\(order)")
            #expect(again.keys.suffix(100) == last.keys[...], "\(order)")
            #expect(Set(again.keys).count == 500)
        }
    }

    @Test func aMistakeHasItsPlaceAndNamesThatAreClose() throws {
        try makePeople(path)
        let version = try InspectedFile(path: path, key: nil).newest()
        let problem = try #require(throws: PredicateProblem.self) {
            try version.rows(
                .init(className: "ToolPerson", predicate: "id > 0 AND nmae == 'Ada'"), from: 0,
                count: 1)
        }
        #expect(problem.position == 11)
        #expect(problem.suggestions == ["name", "note"])
    }

    @Test(arguments: [ObjectExport.Format.csv, .jsonl])
    func anExportIsWhatTheCommandWrites(format: ObjectExport.Format) throws {
        try makePeople(path)
        let version = try InspectedFile(path: path, key: nil).newest()
        let export = try ObjectExport(
            version, .init(className: "ToolPerson", predicate: "id > 1", order: "id:desc"), format,
            columns: ["name", "age"])
        var text = ""
        while let part = try export.next() { text += String(decoding: part, as: UTF8.self) }
        let command = try ToolProcess.run(
            "query", path, "ToolPerson", "id > 1", "--sort", "id:desc", "--columns", "name,age",
            "--format", format.rawValue)
        #expect(text == command.output)
        #expect(text.contains("-7"))
    }

    // MARK: Pages

    @Test func thePagesOfAClassAreItsBytes() throws {
        try makeMany(5000)
        let file = try InspectedFile(path: path, key: nil)
        let version = try file.newest()
        let result = try json(try version.verify { _, _ in })
        #expect(try text(result["problems"] as Any) == "[]")
        let uses = try #require(result["uses"] as? [[String: Any]])
        let pageSize = try #require(result["pageSize"] as? Int)
        var bytes: [String: Int] = [:]
        for use in uses {
            let name = use["class"] as? String ?? ""
            try bytes[name, default: 0] += #require(use["pages"] as? Int) * pageSize
        }
        let sizes = try json(try version.sizes())["classes"] as? [[String: Any]]
        for entry in try #require(sizes) {
            let name = try #require(entry["name"] as? String)
            #expect(bytes[name] ?? 0 == entry["total"] as? Int, "\(name)")
        }
        #expect(
            Set(uses.compactMap { $0["part"] as? String }).isSuperset(of: [
                "roots", "objects", "primaryKeys",
            ]))
        // Each page that is used has its place in the picture.
        let cells = try #require(result["cells"] as? [Int])
        let used = try uses.reduce(0) { try $0 + #require($1["pages"] as? Int) }
        #expect(result["pagesPerCell"] as? Int == 1)
        #expect(cells.count(where: { $0 >= 0 }) == used)
    }

    @Test(arguments: [false, true])
    func freePagesAreToldFromThoseOfOtherVersions(isEditable: Bool) throws {
        let realm = try openRealm(path)
        let name = String(repeating: "long ", count: 2000)
        try realm.write {
            for id in 0..<400 {
                realm.create(
                    ToolPerson.self,
                    value: ["id": id, "name": name, "age": id % 2] as [String: Any])
            }
        }
        let file = try InspectedFile(path: path, key: nil, isEditable: isEditable)
        func pages(_ version: InspectedVersion) throws -> [String: Int] {
            let result = try json(try version.verify { _, _ in })
            #expect(try text(result["problems"] as Any) == "[]")
            let uses = try #require(result["uses"] as? [[String: Any]])
            var pages: [String: Int] = [:]
            for use in uses {
                let part = try #require(use["part"] as? String)
                try pages[part, default: 0] += #require(use["pages"] as? Int)
            }
            // No page is in two places.
            let cells = try #require(result["cells"] as? [Int])
            #expect(cells.count(where: { $0 >= 0 }) == pages.values.reduce(0, +))
            return pages
        }
        let older = try file.newest()
        #expect(try pages(older)["values", default: 0] > 1000)
        // Not all, because the end of a file is cut where it is free.
        try realm.write { realm.delete(realm.objects(ToolPerson.self).where { $0.age == 1 }) }
        // Each version is shown with what is free beside it.
        let before = try pages(older)
        #expect(before["values", default: 0] > 1000)
        #expect(before["kept", default: 0] < 100)
        #expect(try pages(file.newest())["kept", default: 0] > 400)
    }

    @Test func aPictureOfALargeFileIsBounded() {
        var picture = PagePicture(pageCount: UInt64(PagePicture.mostCells) * 10 + 5)
        #expect(picture.pagesPerCell == 11)
        let objects = PageUse(table: 0, part: .objects)
        let keys = PageUse(table: 0, part: .primaryKeys)
        picture.add(objects, 5, 12)
        picture.add(keys, 17, 4)
        // Beyond the end, as a malicious file may say.
        picture.add(keys, 1 << 40, 1)
        #expect(picture.main.prefix(3) == [0, 0, -1])
        #expect(picture.pages == [12, 5])
        #expect(picture.main.count <= PagePicture.mostCells)
    }

    @Test func aCheckEndsWhenItIsCancelled() throws {
        // Each name has pages of its own.
        let realm = try openRealm(path)
        let name = String(repeating: "long ", count: 2000)
        try realm.write {
            for id in 0..<600 {
                realm.create(ToolPerson.self, value: ["id": id, "name": name] as [String: Any])
            }
        }
        let version = try InspectedFile(path: path, key: nil).newest()
        #expect(throws: CancellationError.self) {
            try version.verify { _, _ in throw CancellationError() }
        }
    }

    @Test func whatReadsIsStopped() throws {
        _ = try makePeople(path)
        let version = try InspectedFile(path: path, key: nil).newest()
        let stop = StopRequest()
        let question = InspectedVersion.Question(className: "ToolPerson", predicate: "age > 0")
        #expect(try version.rows(question, from: 0, count: 1, until: stop).count > 0)
        stop.make()
        let other = InspectedVersion.Question(className: "ToolPerson", predicate: "age > 1")
        for work: () throws -> Void in [
            { _ = try version.rows(other, from: 0, count: 1, until: stop) },
            { _ = try version.explain(other, until: stop) },
            { _ = try version.sizes(until: stop) },
        ] {
            let error = #expect(throws: StorageError.self) { try work() }
            #expect(error?.code == .interrupted)
        }
        // Others go on.
        #expect(try rows(version, other).count > 0)
    }

    // MARK: Versions

    @Test func aVersionStaysAsItIsWhileSomebodyHoldsIt() throws {
        let realm = try makePeople(path)
        let file = try InspectedFile(path: path, key: nil)
        var held: InspectedVersion? = try file.newest()
        let number = try #require(held?.number)
        #expect(try file.newest() === held)
        try realm.write { realm.deleteAll() }
        let newest = try file.newest()
        #expect(newest.number > number)
        #expect(try rows(newest, .init(className: "ToolPerson")).count == 0)
        let old = try #require(try file.version(number))
        #expect(try rows(old, .init(className: "ToolPerson")).count == 3)
        _ = consume old
        held = nil
        #expect(try file.version(number) == nil)
        // The newest one is there for whoever asks.
        #expect(try file.version(newest.number) === newest)
    }

    @Test func rowsThatWereInsertedSinceAVersionAreNamed() throws {
        let realm = try makePeople(path)
        let file = try InspectedFile(path: path, key: nil)
        let former = try file.newest()
        try realm.write {
            realm.create(ToolPerson.self, value: ["id": 0, "name": "first"])
            realm.delete(try #require(realm.object(ofType: ToolPerson.self, forPrimaryKey: 2)))
            realm.object(ofType: ToolPerson.self, forPrimaryKey: 1)?.name = "changed"
        }
        let answer = try json(
            try file.newest().rows(
                .init(className: "ToolPerson", order: "id"), from: 0, count: 9,
                insertedSince: former))
        #expect((answer["rows"] as? [Any])?.count == 3)
        #expect(answer["inserted"] as? [String] == ["3"])
    }

    @Test func nothingIsPinnedBetweenRequests() throws {
        let realm = try makePeople(path)
        realm.invalidate()
        let database = try Database.open(path: path)
        let file = try InspectedFile(path: path, key: nil)
        _ = try rows(try file.newest(), .init(className: "ToolPerson", order: "name"))
        #expect(try database.statistics().pinnedVersions.isEmpty)
        let held = try file.newest()
        #expect(try database.statistics().pinnedVersions.map(\.version) == [held.number])
        withExtendedLifetime(held) {}
    }

    @Test func anEncryptedFileAsksForItsKey() throws {
        let key = Data(repeating: 7, count: 64)
        try makePeople(path, key: key)
        let problem = try #require(throws: InspectedFile.Problem.self) {
            try InspectedFile(path: path, key: nil)
        }
        #expect(problem.needsKey)
        let file = try InspectedFile(path: path, key: Array(key))
        #expect(try rows(try file.newest(), .init(className: "ToolPerson")).count == 3)
        let missing = try #require(throws: InspectedFile.Problem.self) {
            try InspectedFile(path: folder["none.realm"], key: nil)
        }
        #expect(!missing.needsKey)
    }
}
