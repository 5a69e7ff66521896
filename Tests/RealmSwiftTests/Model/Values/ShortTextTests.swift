import Foundation
import RealmSwift
import StorageEngine
import Testing
import ToolSupport

private class ShortNote: Object {
    @Persisted var number: Int
    @Persisted var text: String
    @Persisted var optional: String?
    @Persisted var data: Data
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class NoteShelf: Object {
    @Persisted var notes: List<ShortNote>
    @Persisted var distinct: MutableSet<ShortNote>
    @Persisted var named: Map<String, ShortNote?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Tests of texts of up to 15 bytes, which are made without decoding. They must equal the decoded
/// texts bit by bit.
@Suite struct ShortTextTests {
    private static let texts: [String] =
        (0...17).flatMap { count -> [String] in
            let ascii = String("abcdefghijklmnopq".prefix(count))
            let highest = String(repeating: "\u{7F}", count: count)
            let zeros = String(repeating: "\0", count: count)
            // A letter outside ASCII at the start, at the end, and in the middle.
            let umlauts = ["ä" + ascii, ascii + "ä", String(ascii.prefix(count / 2)) + "ä" + ascii]
            return [ascii, highest, zeros, "e\u{301}" + ascii] + umlauts
        } + ["🦊", "日本語", "日本語日本", "\r\n", "\u{FEFF}"]

    @Test func textsComeBackAsTheyWere() throws {
        let realm = try temporaryRealm([ShortNote.self])
        try realm.write {
            for text in Self.texts {
                realm.add(
                    ShortNote(value: ["text": text, "optional": text, "data": Data(text.utf8)]))
            }
        }
        for (note, text) in zip(realm.objects(ShortNote.self), Self.texts) {
            expect(note.text, isBuiltAs: text)
            expect(try #require(note.optional), isBuiltAs: text)
            #expect(note.data == Data(text.utf8))
        }
    }

    /// Values at all offsets of their pages, including the last, in a mapped file.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func textsAnywhereInTheFileComeBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = TestDirectory()
        let texts = (0..<5000).map { _ -> String in
            let letters: [Character] = Bool.random(using: &random) ? ["a", "Z"] : ["a", "é", "\0"]
            let count = Int.random(in: 0...18, using: &random)
            return String((0..<count).map { _ in letters.randomElement(using: &random)! })
        }
        let realm = try directory.realm([ShortNote.self])
        try realm.write {
            for text in texts {
                realm.add(ShortNote(value: ["text": text, "data": Data(text.utf8)]))
            }
        }
        for (note, text) in zip(realm.objects(ShortNote.self), texts) {
            expect(note.text, isBuiltAs: text)
            #expect(note.data == Data(text.utf8))
        }
    }

    /// A file written by another program may hold any bytes as a text.
    @Test func invalidBytesAreRepairedAsDecodingDoes() throws {
        let directory = TestDirectory()
        let configuration = directory.configuration([ShortNote.self])
        let forged: [[UInt8]] = [
            [0x80], [0xFF], [0xC3], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80],
            [0xF5, 0x80, 0x80, 0x80], Array("abcdefg".utf8) + [0x80],
            Array("abcdefgh".utf8) + [0xFE], Array("abcdefghijklmn".utf8) + [0xE2],
            [0xE2] + Array("abcdefghijklmn".utf8), Array("abcdefghijklmno".utf8) + [0xFF],
        ]
        do {
            let realm = try Realm(configuration: configuration)
            try realm.write { for _ in forged { realm.add(ShortNote()) } }
        }
        let connection = try Connection(Database.open(path: configuration.fileURL!.path))
        let table = try #require(try connection.table(named: "ShortNote"))
        let columns = try #require(
            try connection.tableDefinitions().first { $0.name == "ShortNote" }
        ).columns
        let column = try #require(columns.firstIndex { $0.name == "text" })
        try connection.beginWrite()
        for (position, bytes) in forged.enumerated() {
            let key = try table.key(at: position)
            try bytes.withUnsafeBytes { try table.set(column, of: key, to: .bytes($0)) }
        }
        _ = try connection.commit()
        let realm = try Realm(configuration: configuration)
        realm.refresh()
        for (note, bytes) in zip(realm.objects(ShortNote.self), forged) {
            let repaired = String(decoding: bytes, as: UTF8.self)
            #expect(Array(note.text.utf8) == Array(repaired.utf8))
            #expect(note.text.unicodeScalars.contains("\u{FFFD}"))
        }
    }

    private func expect(_ read: String, isBuiltAs text: String) {
        #expect(read == text)
        #expect(Array(read.utf8) == Array(text.utf8))
        #expect(read.hashValue == text.hashValue)
        #expect((read + "!") == (text + "!"))
        guard text.utf8.count <= 15 else { return }
        let decoded = String(decoding: Array(text.utf8), as: UTF8.self)
        #expect(words(of: read) == words(of: decoded))
    }

    private func words(of text: String) -> [UInt64] {
        withUnsafeBytes(of: text) { Array($0.bindMemory(to: UInt64.self)) }
    }
}

/// Tests of walks over collections of links, which read all keys of a leaf at once.
@Suite struct LinkWalkTests {
    /// Collections inside the owner's row, in one leaf, and in several.
    @Test(arguments: [0, 1, 5, 300, 6000])
    func linksAreVisitedInOrder(count: Int) throws {
        let realm = try temporaryRealm([ShortNote.self, NoteShelf.self])
        let shelf = NoteShelf()
        try realm.write {
            realm.add(shelf)
            for number in 0..<count { shelf.notes.append(ShortNote(value: ["number": number])) }
            for number in stride(from: 0, to: count, by: 3) {
                shelf.notes.append(shelf.notes[number])
            }
        }
        let expected = Array(0..<count) + Array(stride(from: 0, to: count, by: 3))
        #expect(shelf.notes.map(\.number) == expected)
        let notes = Array(shelf.notes)
        try realm.write { shelf.distinct.insert(objectsIn: notes) }
        #expect(shelf.distinct.map(\.number).sorted() == Array(0..<count))
    }

    /// The value of a key whose object was deleted is null, in a leaf with other values or alone.
    @Test func valuesOfDeletedObjectsAreLeftOut() throws {
        let realm = try temporaryRealm([ShortNote.self, NoteShelf.self])
        let shelf = NoteShelf()
        try realm.write {
            realm.add(shelf)
            for number in 0..<900 {
                shelf.named["\(number)"] = ShortNote(value: ["number": number])
            }
        }
        try realm.write {
            let gone = realm.objects(ShortNote.self).filter {
                $0.number % 3 == 0 || $0.number > 600
            }
            realm.delete(Array(gone))
        }
        let numbers = shelf.named.compactMap { $0.value?.number }.sorted()
        #expect(numbers == (0...600).filter { $0 % 3 != 0 })
        #expect(shelf.named.sum(of: \.number) == numbers.reduce(0, +))
    }

    @Test func objectsDeletedDuringAWalkAreVisitedInvalidated() throws {
        let realm = try temporaryRealm([ShortNote.self, NoteShelf.self])
        let shelf = NoteShelf()
        try realm.write {
            realm.add(shelf)
            for number in 0..<400 { shelf.notes.append(ShortNote(value: ["number": number])) }
        }
        realm.beginWrite()
        var visited = 0
        var invalidated = 0
        for note in shelf.notes {
            if visited == 10 { realm.delete(shelf.notes[250]) }
            visited += 1
            if note.isInvalidated { invalidated += 1 }
        }
        try realm.commitWrite()
        #expect(visited == 400 && invalidated == 1 && shelf.notes.count == 399)
    }
}
