import Foundation
import Glibc
import RealmSwift
import StorageEngine

/// Whether the embedded engine's files are encrypted: for all files of a process alike, because a
/// process runs one case. Whoever starts the process of an encrypted case says so.
enum FileEncryption {
    static let variable = "REALM_BENCH_ENCRYPTED"

    /// The key of this process's files; nil if they are plain. The same in all runs: it protects
    /// nothing.
    static let key: [UInt8]? = getenv(variable) == nil ? nil : (0..<64).map { UInt8($0) }

    /// What the process of such a case finds in its environment.
    static func environment(isEncrypted: Bool) -> [String: String] {
        isEncrypted ? [variable: "1"] : [:]
    }
}

extension Database.Options {
    /// How cases open their files.
    static var ofCase: Database.Options { Database.Options(encryptionKey: FileEncryption.key) }
}

extension Realm.Configuration {
    /// How cases open their files.
    init(
        path: String, _ durability: BenchmarkKit.Durability = .full,
        objectTypes: [ObjectBase.Type]? = nil
    ) {
        self.init(
            fileURL: URL(fileURLWithPath: path), encryptionKey: FileEncryption.key.map { Data($0) },
            objectTypes: objectTypes)
        self.durability = durability.ofRealm
    }
}
