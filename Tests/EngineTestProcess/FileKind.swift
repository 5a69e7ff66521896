import StorageEngine

/// The two kinds of file, for tests that hold for both.
enum FileKind: String, CaseIterable, Sendable {
    case plain, encrypted

    /// A key that protects nothing.
    static let key = (0..<64).map { UInt8(200 - $0) }

    var options: Database.Options {
        Database.Options(encryptionKey: self == .encrypted ? Self.key : nil)
    }
}
