import StorageEngine

/// The two kinds of file, for tests that hold for both, and how they are written.
enum FileKind: String, CaseIterable, Sendable {
    case plain, encrypted
    /// Transactions have next to no memory: nearly every change writes pages ahead of the commit.
    case plainAhead = "plain-ahead"
    case encryptedAhead = "encrypted-ahead"

    static let allCases: [FileKind] = [.plain, .encrypted]
    /// For tests of what every way of writing must keep to.
    static let everyWay: [FileKind] = [.plain, .encrypted, .plainAhead, .encryptedAhead]
    static let writingAhead: [FileKind] = [.plainAhead, .encryptedAhead]
    /// Some pages, so that a commit has a few of its own beside those that were written ahead.
    static let fewBytes = 20 << 10

    /// A key that protects nothing.
    static let key = (0..<64).map { UInt8(200 - $0) }

    var options: Database.Options {
        var options = Database.Options(encryptionKey: isEncrypted ? Self.key : nil)
        if Self.writingAhead.contains(self) { options.largestPrivateBytes = Self.fewBytes }
        return options
    }

    var isEncrypted: Bool { self == .encrypted || self == .encryptedAhead }
}
