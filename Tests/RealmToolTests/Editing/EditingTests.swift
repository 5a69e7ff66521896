import Foundation
import RealmSwift
import Testing
import ToolSupport

@testable import RealmTool
@testable import StorageEngine

final class EditedThing: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var small: Int8
    @Persisted var price: RealmSwift.Decimal128
    @Persisted var ratio: Double
    @Persisted var isNew: Bool?
    @Persisted var uuid: UUID
    @Persisted var data: Data?
    @Persisted var made: Date?
    @Persisted var next: EditedThing?
    @Persisted var friends: List<EditedThing>
    @Persisted var near: Map<String, EditedThing?>
    @Persisted var homes: List<ToolAddress>
    @Persisted var any: AnyRealmValue
    @Persisted var dog: ToolDog?
}

final class EditedCollections: Object {
    @Persisted var id: Int
    @Persisted var set: MutableSet<String>
    @Persisted var dates: MutableSet<Date>
    @Persisted var map: Map<String, Int?>
    @Persisted var homes: Map<String, ToolAddress?>
    @Persisted var list: List<AnyRealmValue>
}

extension FileEditor {
    /// The fingerprint of a property in the newest version.
    fileprivate func seen(
        _ property: String, _ key: Int64, in className: String
    ) throws -> String {
        try file.newest().draft(of: property, key, in: className).fingerprint
    }
}

/// What the Studio changes in a file.
@Suite struct EditingTests {
    private let folder: TemporaryFolder
    private let path: String
    private let realm: Realm
    private let file: InspectedFile
    private let editor: FileEditor

    init() throws {
        folder = try TemporaryFolder()
        path = folder["things.realm"]
        let realm = try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: path),
                objectTypes: [EditedThing.self, ToolAddress.self, ToolDog.self]))
        try realm.write {
            let things = ["a", "b", "c"].map {
                realm.create(EditedThing.self, value: ["name": $0] as [String: Any])
            }
            let dog = realm.create(ToolDog.self, value: ["name": "Rex"] as [String: Any])
            things[0].dog = dog
            things[0].made = Date(timeIntervalSinceReferenceDate: 0.5)
            things[0].data = Data([0, 255])
            things[0].uuid = try #require(UUID(uuidString: "00000000-1111-2222-3333-444444444444"))
            things[0].friends.append(objectsIn: [things[1], things[2], things[1]])
            things[0].homes.append(
                objectsIn: ["Bern", "Rome"].map { ToolAddress(value: ["city": $0]) })
        }
        self.realm = realm
        file = try InspectedFile(path: path, key: nil, isEditable: true)
        editor = FileEditor(file)
    }

    /// Reads the newest version.
    private var things: [String: EditedThing] {
        realm.refresh()
        return Dictionary(
            uniqueKeysWithValues: realm.objects(EditedThing.self).map { ($0.name, $0) })
    }

    private func draft(
        _ property: String, _ key: Int64 = 0, in className: String = "EditedThing"
    ) throws -> PropertyDraft {
        try file.newest().draft(of: property, key, in: className)
    }

    @discardableResult
    private func edit(
        _ property: String, _ change: ObjectEdit.Change, _ key: Int64 = 0,
        in className: String = "EditedThing", seen: PropertyDraft? = nil
    ) throws -> EditOutcome {
        let seen = try seen ?? draft(property, key, in: className)
        return try editor.apply(
            ObjectEdit(
                ObjectPlace(className: className, key: "\(key)"), property,
                seen: seen.fingerprint, change))
    }

    private func seen(_ key: Int64, in className: String = "EditedThing") throws -> String {
        let answer = try file.newest().object(key, in: className, isToEdit: true)
        let object = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
        return try #require(object?["fingerprint"] as? String)
    }

    private func undo(_ outcome: EditOutcome) throws -> EditOutcome {
        try editor.undo(#require(outcome.undo))
    }

    // MARK: Properties

    @Test(
        arguments: [
            ("small", "0", "-128"), ("price", "0", "12.50"), ("ratio", "0.0", "nan"),
            ("isNew", nil, "true"),
            (
                "uuid", "00000000-1111-2222-3333-444444444444",
                "ffffffff-1111-2222-3333-444444444444"
            ),
            ("data", "00ff", "a0"), ("data", "00ff", ""), ("data", "00ff", nil),
            ("made", "2001-01-01T00:00:00.5Z", "2026-11-27T12:00:00Z"),
            ("next", nil, "b"), ("next", nil, "a"),
            ("friends", #"["b","c","b"]"#, #"["a"]"#),
            ("near", "{}", #"{"x":"a","y":null}"#),
            (
                "homes", #"[{"city":"Bern","rooms":[]},{"city":"Rome","rooms":[]}]"#,
                #"[{"city":"Oslo","rooms":[1]}]"#
            ),
            ("any", nil, #"{"list":[1,"x",{"$link":{"class":"EditedThing","id":"c"}}]}"#),
            ("dog", "#0", nil), ("name", "a", "ünïcödé \u{0} \r\n 漢字"),
        ] as [(String, String?, String?)])
    func aPropertyIsSetAndTakenBack(property: String, before: String?, after: String?) throws {
        let text = { (draft: PropertyDraft) in
            draft.text?.replacingOccurrences(of: "500Z", with: "5Z")
        }
        #expect(try text(draft(property)) == before)
        let outcome = try edit(property, .set(text: after))
        #expect(try text(draft(property)) == after)
        _ = try undo(outcome)
        #expect(try text(draft(property)) == before)
        #expect(try Connection(Database.open(path: path)).verify() == [])
    }

    @Test(
        arguments: [
            ("small", "x", "is not an integer"), ("small", nil, "must not be null"),
            ("small", "128", "8 bits"), ("isNew", "maybe", "true or false"),
            ("next", "nobody", "no object of 'EditedThing'."), ("name", "b", "primary key"),
            ("data", "0", "hexadecimal"), ("dog", "#7", "no object of 'ToolDog'."),
            ("friends", "[\"a\"", "missing"), ("friends", "[null]", "must not be null"),
            ("homes", #"[{"town":"x"}]"#, "no property"), ("any", "{\"$date\":1}", "date"),
        ] as [(String, String?, String)])
    func whatAPropertyCannotHoldIsRefused(
        property: String, text: String?, message: String
    ) throws {
        let before = try draft(property)
        let version = file.newestVersion
        do {
            try edit(property, .set(text: text))
            Issue.record("nothing was thrown")
        } catch let error as ToolError {
            #expect(error.message.contains(message), "\(error.message)")
            #expect(!error.message.contains("--"))
        } catch let error as StorageError {
            #expect(error.message.contains(message), "\(error.message)")
        }
        #expect(file.newestVersion == version)
        #expect(try draft(property).fingerprint == before.fingerprint)
    }

    @Test func anEditOfWhatHasChangedIsRefused() throws {
        let seen = try draft("small")
        try realm.write { things["a"]?.small = 7 }
        let conflict = try #require(throws: EditConflict.self) {
            try edit("small", .set(text: "5"), seen: seen)
        }
        #expect(conflict.now?.text == "7")
        #expect(things["a"]?.small == 7)
        // Other properties of the object do not matter.
        try edit("ratio", .set(text: "1.5"))
        // With what is there now, the edit is one of somebody who has seen it.
        try edit("small", .set(text: "5"), seen: conflict.now)
        #expect(things["a"]?.small == 5)
    }

    @Test func anEditOfADeletedObjectIsRefused() throws {
        let seen = try draft("small", 2)
        try realm.write { realm.delete(try #require(things["c"])) }
        #expect(throws: EditConflict.self) {
            try edit("small", .set(text: "5"), 2, seen: seen)
        }
    }

    @Test func anElementOfAListIsMovedInsertedAndRemoved() throws {
        func cities() -> [String] { things["a"]?.homes.map(\.city) ?? [] }
        // The objects stay what they are, so that others find them.
        try edit("city", .set(text: "Paris"), 1, in: "ToolAddress")
        let moved = try edit("homes", .move(from: 1, to: 0))
        #expect(cities() == ["Paris", "Bern"])
        #expect(try draft("city", 1, in: "ToolAddress").text == "Paris")
        let inserted = try edit("homes", .insert(text: #"{"city":"Oslo","rooms":[2]}"#, at: 1))
        #expect(cities() == ["Paris", "Oslo", "Bern"])
        let removed = try edit("homes", .remove(at: 0))
        #expect(cities() == ["Oslo", "Bern"])
        for (outcome, expected) in [
            (removed, ["Paris", "Oslo", "Bern"]), (inserted, ["Paris", "Bern"]),
            (moved, ["Bern", "Paris"]),
        ] {
            _ = try undo(outcome)
            #expect(cities() == expected)
        }
        #expect(throws: ToolError.self) { try edit("homes", .move(from: 0, to: 2)) }
        #expect(throws: ToolError.self) { try edit("homes", .remove(at: -1)) }
        #expect(throws: ToolError.self) { try edit("near", .remove(at: 0)) }
        #expect(cities() == ["Bern", "Paris"])
    }

    @Test func anElementOfAListIsReplacedInItsPlace() throws {
        func cities() -> [String] { things["a"]?.homes.map(\.city) ?? [] }
        for (property, text, after) in [
            ("friends", "a", #"["b","a","b"]"#),
            ("homes", #"{"city":"Oslo","rooms":[2]}"#, nil),
        ] as [(String, String, String?)] {
            let before = try draft(property)
            let outcome = try edit(property, .replace(text: text, at: 1))
            if let after { #expect(try draft(property).text == after) }
            _ = try undo(outcome)
            #expect(try draft(property).fingerprint == before.fingerprint)
        }
        try edit("homes", .replace(text: #"{"city":"Oslo","rooms":[2]}"#, at: 0))
        #expect(cities() == ["Oslo", "Rome"])
        #expect(throws: ToolError.self) { try edit("friends", .replace(text: "nobody", at: 1)) }
        #expect(throws: ToolError.self) { try edit("friends", .replace(text: nil, at: 1)) }
        #expect(throws: ToolError.self) { try edit("friends", .replace(text: "a", at: 3)) }
        #expect(try Connection(Database.open(path: path)).verify() == [])
    }

    @Test func elementsOfMixedListsAreReplacedByCollections() throws {
        let (folder, path) = try Self.collections()
        let editor = try FileEditor(InspectedFile(path: path, key: nil, isEditable: true))
        func draft() throws -> PropertyDraft {
            try InspectedFile(path: path, key: nil).newest()
                .draft(of: "list", 0, in: "EditedCollections")
        }
        func edit(_ change: ObjectEdit.Change) throws -> EditOutcome {
            try editor.apply(
                ObjectEdit(
                    ObjectPlace(className: "EditedCollections", key: "0"), "list",
                    seen: seen(), change))
        }
        func seen() throws -> String { try editor.seen("list", 0, in: "EditedCollections") }
        for text in [#"[1,[2]]"#, #"{"a":{"b":[]}}"#, "5", #""x""#] {
            let outcome = try edit(.replace(text: text, at: 1))
            #expect(try draft().text == "[1,\(text),3]")
            _ = try editor.undo(#require(outcome.undo))
            #expect(try draft().text == "[1,2,3]")
        }
        withExtendedLifetime(folder) {}
    }

    @Test func elementsOfSetsAndMapsAreChangedOneByOne() throws {
        let (folder, path) = try Self.collections()
        let editor = try FileEditor(InspectedFile(path: path, key: nil, isEditable: true))
        let className = "EditedCollections"
        func text(_ property: String, at position: Int? = nil) throws -> String? {
            try InspectedFile(path: path, key: nil).newest()
                .draft(of: property, 0, in: className, at: position).text
        }
        func edit(_ property: String, _ change: ObjectEdit.Change) throws -> EditOutcome {
            try editor.apply(
                ObjectEdit(
                    ObjectPlace(className: className, key: "0"), property,
                    seen: editor.seen(property, 0, in: className), change))
        }
        for (property, change, after) in [
            ("set", .add(text: "b", key: nil), #"["a","b","c"]"#),
            ("set", .remove(at: 0), #"["c"]"#),
            ("dates", .remove(at: 0), "[]"),
            ("map", .add(text: "5", key: "k.\u{0}"), "{\"k.\\u0000\":5,\"x\":1,\"y\":null}"),
            ("map", .replace(text: "7", at: 1), #"{"x":1,"y":7}"#),
            ("map", .replace(text: nil, at: 0), #"{"x":null,"y":null}"#),
            ("map", .remove(at: 0), #"{"y":null}"#),
            (
                "homes", .add(text: #"{"city":"Oslo","rooms":[]}"#, key: "b"),
                #"{"a":{"city":"Bern","rooms":[]},"b":{"city":"Oslo","rooms":[]}}"#
            ),
            (
                "homes", .replace(text: #"{"city":"Rome","rooms":[1]}"#, at: 0),
                #"{"a":{"city":"Rome","rooms":[1]}}"#
            ),
            ("homes", .remove(at: 0), "{}"),
        ] as [(String, ObjectEdit.Change, String)] {
            let before = try text(property)
            let outcome = try edit(property, change)
            #expect(try text(property) == after)
            let back = try editor.undo(#require(outcome.undo))
            #expect(try text(property) == before)
            let again = try editor.undo(#require(back.undo))
            #expect(try text(property) == after)
            _ = try editor.undo(#require(again.undo))
        }
        #expect(try text("set", at: 1) == "c")
        #expect(try text("map", at: 0) == "1")
        #expect(try text("map", at: 1) == nil)
        for (property, change) in [
            ("set", .add(text: "a", key: nil)), ("set", .add(text: nil, key: nil)),
            ("set", .add(text: "b", key: "k")), ("set", .replace(text: "b", at: 0)),
            ("set", .remove(at: 2)), ("set", .insert(text: "b", at: 0)),
            ("map", .add(text: "5", key: "x")), ("map", .add(text: "5", key: nil)),
            ("map", .add(text: "many", key: "z")), ("map", .replace(text: "5", at: -1)),
            ("map", .remove(at: 2)), ("map", .move(from: 0, to: 1)),
            ("list", .add(text: "1", key: nil)), ("id", .remove(at: 0)),
        ] as [(String, ObjectEdit.Change)] {
            #expect(throws: ToolError.self) { _ = try edit(property, change) }
        }
        #expect(try text("set") == #"["a","c"]"#)
        #expect(try text("map") == #"{"x":1,"y":null}"#)
        #expect(try Connection(Database.open(path: path)).verify() == [])
        withExtendedLifetime(folder) {}
    }

    private static func collections() throws -> (TemporaryFolder, path: String) {
        let folder = try TemporaryFolder()
        let path = folder["collections.realm"]
        let realm = try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: path),
                objectTypes: [EditedCollections.self, ToolAddress.self]))
        try realm.write {
            let object = realm.create(EditedCollections.self)
            object.set.insert(objectsIn: ["c", "a"])
            object.dates.insert(Date(timeIntervalSinceReferenceDate: 1 / 3))
            object.map["x"] = 1
            object.map["y"] = .some(nil)
            object.homes["a"] = ToolAddress(value: ["city": "Bern"])
            object.list.append(objectsIn: [.int(1), .int(2), .int(3)])
        }
        return (folder, path)
    }

    // MARK: Objects

    @Test func anObjectIsAddedAndTakenBack() throws {
        let outcome = try editor.add(to: "EditedThing", primaryKey: "new")
        #expect(things["new"]?.small == 0)
        #expect(throws: StorageError.self) {
            try editor.add(to: "EditedThing", primaryKey: "new")
        }
        _ = try undo(outcome)
        #expect(things["new"] == nil)
        let dog = try editor.add(to: "ToolDog", primaryKey: nil)
        #expect(dog.object == ObjectPlace(className: "ToolDog", key: "1"))
        #expect(throws: ToolError.self) { try editor.add(to: "ToolAddress", primaryKey: nil) }
    }

    @Test func aDeletedObjectComesBackWithTheLinksToIt() throws {
        try realm.write {
            let things = things
            things["b"]?.next = things["b"]
            things["b"]?.dog = things["a"]?.dog
            things["b"]?.homes.append(ToolAddress(value: ["city": "Riga"]))
            things["c"]?.next = things["b"]
            things["a"]?.near["x"] = things["b"]
            things["c"]?.any = .object(try #require(things["b"]))
        }
        let outcome = try editor.delete(
            ObjectPlace(className: "EditedThing", key: "1"), seen: seen(1))
        #expect(things["b"] == nil)
        #expect(things["a"]?.friends.map(\.name) == ["c"])
        #expect(try undo(outcome).lostLinks == 0)
        let back = try #require(things["b"])
        #expect(back.next?.name == "b")
        #expect(back.dog?.name == "Rex")
        #expect(back.homes.map(\.city) == ["Riga"])
        #expect(things["a"]?.friends.map(\.name) == ["b", "c", "b"])
        #expect(try draft("near").text == #"{"x":"b"}"#)
        #expect(things["c"]?.next?.name == "b")
        #expect(things["c"]?.any.object(EditedThing.self)?.name == "b")
        #expect(try Connection(Database.open(path: path)).verify() == [])
    }

    @Test func linksThatHaveChangedSinceStayAsTheyAre() throws {
        try realm.write {
            things["a"]?.next = things["c"]
            things["b"]?.next = things["c"]
        }
        let outcome = try editor.delete(
            ObjectPlace(className: "EditedThing", key: "2"), seen: seen(2))
        try realm.write { things["a"]?.next = things["b"] }
        #expect(try undo(outcome).lostLinks == 1)
        #expect(things["a"]?.next?.name == "b")
        #expect(things["b"]?.next?.name == "c")
        // The list that held it has its place again.
        #expect(things["a"]?.friends.map(\.name) == ["b", "c", "b"])
    }

    @Test func aDeletionOfWhatHasChangedIsRefused() throws {
        let before = try seen(0)
        try realm.write { things["a"]?.small = 1 }
        #expect(throws: EditConflict.self) {
            try editor.delete(ObjectPlace(className: "EditedThing", key: "0"), seen: before)
        }
        #expect(things["a"] != nil)
        #expect(throws: ToolError.self) {
            try editor.delete(
                ObjectPlace(className: "ToolAddress", key: "0"),
                seen: seen(0, in: "ToolAddress"))
        }
    }

    // MARK: Taking back

    @Test func whatHasChangedSinceIsNotTakenBack() throws {
        let first = try edit("small", .set(text: "1"))
        try edit("small", .set(text: "2"))
        #expect(throws: EditConflict.self) { try undo(first) }
        #expect(things["a"]?.small == 2)
        // It is forgotten, because what it has left does not come again.
        #expect(throws: ToolError.self) { try undo(first) }
    }

    @Test func whatWasTakenBackIsMadeAgain() throws {
        let first = try edit("small", .set(text: "1"))
        let second = try edit("small", .set(text: "2"))
        var back = [second, first]
        for expected in [1, 0] {
            #expect(things["a"]?.small == Int8(expected + 1))
            back.append(try undo(back.removeFirst()))
            #expect(things["a"]?.small == Int8(expected))
        }
        for expected in [1, 2] {
            back.insert(try undo(back.removeLast()), at: 0)
            #expect(things["a"]?.small == Int8(expected))
        }
        // Not over a change of somebody else.
        let last = try undo(back[0])
        try realm.write { things["a"]?.small = 9 }
        #expect(throws: EditConflict.self) { try undo(last) }
        #expect(things["a"]?.small == 9)
    }

    @Test func objectsThatAreThereAgainAreKnownToEditsOfBefore() throws {
        let added = try editor.add(to: "ToolDog", primaryKey: nil)
        let key = try #require(Int64(added.object.key))
        let named = try edit("name", .set(text: "Bella"), key, in: "ToolDog")
        let deleted = try editor.delete(added.object, seen: seen(key, in: "ToolDog"))
        func names() -> [String] {
            realm.refresh()
            return realm.objects(ToolDog.self).map(\.name)
        }
        #expect(names() == ["Rex"])
        let there = try undo(deleted)
        #expect(there.object != added.object)
        #expect(names() == ["Rex", "Bella"])
        let unnamed = try undo(named)
        #expect(names() == ["Rex", ""])
        #expect(unnamed.object == there.object)
        let gone = try undo(added)
        #expect(names() == ["Rex"])
        let again = try undo(gone)
        #expect(names() == ["Rex", ""])
        #expect(try undo(unnamed).object == again.object)
        #expect(names() == ["Rex", "Bella"])
        #expect(try Connection(Database.open(path: path)).verify() == [])
    }

    @Test func theLastEditsCanBeTakenBack() throws {
        var log = UndoLog()
        func undo(size: Int) -> Undo {
            Undo(
                object: ObjectPlace(className: "A", key: "0"), action: .delete(left: ""),
                size: size)
        }
        let numbers = (0...UndoLog.mostEdits).map { _ in log.add(undo(size: 10)) }
        #expect(log[numbers[0]] == nil)
        #expect(log[numbers[1]] != nil)
        let large = log.add(undo(size: UndoLog.mostBytes - 15))
        #expect(log[large] != nil)
        #expect(log[numbers[UndoLog.mostEdits]] != nil)
        #expect(log[numbers[UndoLog.mostEdits - 1]] == nil)
        log.remove(large)
        let next = log.add(undo(size: UndoLog.mostBytes - 15))
        #expect(log[numbers[UndoLog.mostEdits]] != nil)
        #expect(log[next] != nil)
    }

    @Test func aFileThatIsOpenedAnewTakesNothingOfBeforeBack() throws {
        let before = try edit("small", .set(text: "1"))
        let anew = FileEditor(file)
        let added = try anew.add(to: "ToolDog", primaryKey: nil)
        #expect(before.undo != added.undo)
        #expect(throws: ToolError.self) { try anew.undo(#require(before.undo)) }
        // With the log of before, it does.
        _ = try FileEditor(file, editor.log).undo(#require(before.undo))
        #expect(things["a"]?.small == 0)
    }

    // MARK: Files

    @Test func nothingIsWrittenToAFileThatIsOpenForReading() throws {
        let other = folder["copy.realm"]
        try FileManager.default.copyItem(atPath: path, toPath: other)
        let reading = try InspectedFile(path: other, key: nil)
        #expect(!reading.isEditable)
        let version = reading.newestVersion
        #expect(throws: ToolError.self) {
            try FileEditor(reading).add(to: "ToolDog", primaryKey: nil)
        }
        #expect(reading.newestVersion == version)
    }

    @Test func aTransactionOfSomebodyElseIsWaitedForButNotForEver() throws {
        let impatient = FileEditor(file, patience: .milliseconds(50))
        let other = try Connection(Database.open(path: path))
        try other.beginWrite()
        #expect(throws: ToolError.self) { try impatient.add(to: "ToolDog", primaryKey: nil) }
        let version = file.newestVersion
        let added = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { [editor] in
            if (try? editor.add(to: "ToolDog", primaryKey: nil)) != nil { added.signal() }
        }
        #expect(added.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
        other.rollback()
        #expect(added.wait(timeout: .now() + .seconds(20)) == .success)
        #expect(file.newestVersion == version + 1)
    }
}
