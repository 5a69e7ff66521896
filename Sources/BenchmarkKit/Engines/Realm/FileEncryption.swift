import Foundation
import Glibc
import RealmSwift
import StorageEngine

/// The encryption of the embedded engine's files. It is the same for all files of a process,
/// because a process runs one case. The parent of an encrypted case's process sets the environment
/// variable.
enum FileEncryption {
    static let variable = "REALM_BENCH_ENCRYPTED"

    /// The key of this process's files; nil if they are not encrypted. It is the same in all runs,
    /// since it protects no secret.
    static let key: [UInt8]? = getenv(variable) == nil ? nil : (0..<64).map { UInt8($0) }

    /// Returns the environment variables for the process of a case.
    static func environment(isEncrypted: Bool) -> [String: String] {
        isEncrypted ? [variable: "1"] : [:]
    }
}

extension Database.Options {
    /// The options with which cases open their files.
    static var ofCase: Database.Options { Database.Options(encryptionKey: FileEncryption.key) }
}

extension Realm.Configuration {
    /// Creates the configuration with which cases open their files.
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
