import RealmSwift
import StorageEngine

// The terms of the embedded engine for those that all engines share, and the other way round.

extension Durability {
    /// The durability passed to the commits of the embedded engine.
    var ofCommit: CommitDurability {
        switch self {
        case .full: .full
        case .relaxed: .relaxed
        case .unsynced, .memory: preconditionFailure("the embedded engine has no '\(self)'")
        }
    }

    /// The durability with which a Realm is opened.
    var ofRealm: Realm.Configuration.Durability { ofCommit == .relaxed ? .relaxed : .full }
}

extension CommitCost {
    init(_ statistics: CommitStatistics) {
        self.init(pages: statistics.pages, syncNanoseconds: statistics.syncNanoseconds)
    }
}

extension StoreSize {
    init(_ statistics: Database.Statistics) {
        self.init(
            fileBytes: Int(statistics.fileBytes), liveBytes: Int(statistics.liveBytes),
            freeBytes: Int(statistics.freeBytes + statistics.waitingBytes))
    }
}
