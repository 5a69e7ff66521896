import Foundation
import RealmSwift

/// Something to do.
final class Item: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var text: String
    @Persisted var isDone: Bool
}

/// What the user was refused.
struct Refusal: Error, CustomStringConvertible {
    let description: String
}

/// A list in an encrypted file.
///
/// The Realm belongs to this actor: nobody else can reach it, and the compiler holds everybody to
/// it. What leaves the actor are values, not objects.
actor TodoList {
    /// An item as a value, which may go anywhere.
    struct Entry: Sendable {
        var number: Int
        var text: String
        var isDone: Bool
    }

    private let url: URL
    private var realm: Realm!

    /// Opens a list, or creates it if there is no file.
    init(_ url: URL, key: Data) async throws {
        self.url = url
        let configuration = Realm.Configuration(
            fileURL: url, encryptionKey: key, objectTypes: [Item.self])
        do {
            realm = try await Realm(configuration: configuration, actor: self)
        } catch Realm.Error.invalidDatabase {
            // With another key nothing in the file can be read, so the two cannot be told apart.
            throw Refusal(
                description: "The passphrase is wrong, or \(url.lastPathComponent) is damaged.")
        }
    }

    var entries: [Entry] {
        realm.objects(Item.self).sorted(by: \.number)
            .map { Entry(number: $0.number, text: $0.text, isDone: $0.isDone) }
    }

    func add(_ text: String) async throws -> Int {
        try await realm.asyncWrite {
            let number = (realm.objects(Item.self).max(of: \.number) ?? 0) + 1
            realm.create(Item.self, value: ["number": number, "text": text])
            return number
        }
    }

    func finish(_ number: Int) async throws {
        try await realm.asyncWrite {
            guard let item = realm.object(ofType: Item.self, forPrimaryKey: number) else {
                throw Refusal(description: "There is no item \(number).")
            }
            item.isDone = true
        }
    }

    func removeFinished() async throws -> Int {
        try await realm.asyncWrite {
            let finished = realm.objects(Item.self).where { $0.isDone }
            defer { realm.delete(finished) }
            return finished.count
        }
    }

    /// Encrypts the list with another key.
    ///
    /// A file keeps its key, so this writes a copy with the new one, and puts it in the place of
    /// the file with one call of the system: whatever happens meanwhile, the list can be opened
    /// with the old key or with the new one. The transaction keeps other programs from writing
    /// between the copy and that call. Those that have the old file open notice that it is gone,
    /// when they write next.
    func change(to key: Data) throws {
        let copy = url.appendingPathExtension("new")
        // Of a change that was interrupted.
        if FileManager.default.fileExists(atPath: copy.path) {
            try FileManager.default.removeItem(at: copy)
        }
        realm.beginWrite()
        defer { realm.cancelWrite() }
        try realm.writeCopy(toFile: copy, encryptionKey: key)
        guard rename(copy.path, url.path) == 0 else {
            throw Refusal(description: "\(url.path) could not be replaced.")
        }
    }
}
