import StorageEngine

/// Kinds of files, for tests that must hold for each, and ways in which they are written.
enum FileKind: String, CaseIterable, Sendable {
    case plain, encrypted
    /// Transactions have next to no memory: nearly every change writes pages ahead of the commit.
    case plainAhead = "plain-ahead"
    case encryptedAhead = "encrypted-ahead"

    static let allCases: [FileKind] = [.plain, .encrypted]
    /// Cases for tests of what every way of writing must comply with.
    static let everyWay: [FileKind] = [.plain, .encrypted, .plainAhead, .encryptedAhead]
    static let writingAhead: [FileKind] = [.plainAhead, .encryptedAhead]
    /// Memory for a few pages, so that a commit has some of its own beside those written ahead.
    static let fewBytes = 20 << 10

    /// A key that is in the source and protects nothing.
    static let key = (0..<64).map { UInt8(200 - $0) }

    var options: Database.Options {
        var options = Database.Options(encryptionKey: isEncrypted ? Self.key : nil)
        if Self.writingAhead.contains(self) { options.largestPrivateBytes = Self.fewBytes }
        return options
    }

    var isEncrypted: Bool { self == .encrypted || self == .encryptedAhead }
}
