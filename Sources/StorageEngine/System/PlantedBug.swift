import CRealmSystem
import Glibc

/// Bugs that can be compiled into the engine, and into what observes it, to check that the tests
/// notice them. They require the package trait `PlantedBugs`, and one is active at a time.
/// docs/planted-bugs.md says what each breaks and which test finds it.
enum PlantedBug: String, CaseIterable {
    // Durability and recovery.
    case skipsSync = "skip-sync"
    case publishesBeforeSync = "publish-before-sync"
    case syncsLargeCommitsOnce = "large-commit-one-sync"
    case trustsPageSeals = "trust-page-seals"
    case acceptsZeroPages = "zero-pages-intact"
    case acceptsZeroSlots = "zero-slot-is-record"
    case takesZerosForNewFile = "zero-file-is-new"
    case reusesUnsyncedSlots = "relaxed-slot-reuse"
    case adoptsWithoutSync = "adopt-without-sync"
    case raisesDurableFloor = "durable-floor-too-high"
    case marksUnsynced = "marker-before-sync"
    case keepsAbandonedRecord = "abandoned-record-stays"
    case carriesWithoutSync = "changes-not-synced"
    case carriesAllButOne = "changes-without-last-run"
    case forgetsChanges = "commit-forgets-changes-before"
    case relaxesAfterChanges = "relaxed-commit-after-changes"
    case trustsPlaces = "changed-pages-taken-as-they-are"
    case marksUnsyncedChanges = "marker-before-changed-pages"
    case carriesWithoutEnd = "changes-without-end"
    case upgradesInMemory = "upgrade-in-memory-only"
    case upgradesUnsynced = "upgrade-not-synced"
    case forgetsSlotsInFront = "upgrade-forgets-slots"
    // Space and pins.
    case reusesByVisibleVersion = "reuse-by-visible-version"
    case announcesNoSync = "sync-not-announced"
    case reusesPinnedPages = "reuse-pinned-pages"
    case keepsPinsOfTheDead = "pins-of-the-dead-stay"
    case claimsSlotsUncleared = "sync-of-the-dead-stays"
    case leavesSyncOfTheDead = "dead-writers-sync-is-left"
    case waitsForStoppedSync = "sync-of-the-stopped-stays"
    case rollsGroupBack = "rollback-loses-group"
    case leaksRolledBackPages = "rollback-leaks-pages"
    case leaksCheckpoints = "checkpoint-pages-leak"
    case readsCheckpointsInFile = "checkpoint-read-too-early"
    // Shrinking and compaction.
    case leavesMovedValues = "moved-value-left-behind"
    case compactsOpenFile = "compact-open-file"
    case forgetsDirectory = "compact-directory-not-synced"
    case failsWithCompaction = "launch-fails-with-compaction"
    case failsBesideCompaction = "launch-fails-beside-another"
    // Forks.
    case sharesTablesWithForks = "table-outlives-fork"
    case keepsLocksInForks = "forked-child-keeps-locks"
    // Locks.
    case givesLockToThread = "lock-belongs-to-thread"
    case waitsForDeadWriter = "lock-not-robust"
    case countsBlocksEarly = "lock-file-counted-early"
    // Pages and encryption.
    case servesStalePages = "stale-decrypted-page"
    case repeatsNonces = "nonce-used-twice"
    case skipsChecksums = "checksum-not-checked"
    case ignoresBirths = "stale-page-accepted"
    case acceptsCutFiles = "cut-file-accepted"
    // System calls.
    case ignoresShortWrites = "short-write-ignored"
    case interruptionFails = "eintr-is-failure"
    case interruptionSucceeds = "eintr-is-success"
    case ignoresFailedWrites = "failed-write-ignored"
    case swallowsFullDisk = "full-disk-swallowed"
    case readsHalfDoneChanges = "half-done-change-read"
    case retriesFailedSync = "failed-sync-retried"
    case poisonsNobody = "failed-sync-forgotten"
    case overlapsSyncs = "syncs-overlap"
    // Objects.
    case leavesBacklinks = "backlink-left-behind"
    case leavesLinks = "link-left-behind"
    case leavesPrimaryKeys = "primary-key-left-behind"
    case leavesIndexEntries = "index-entry-left-behind"
    case losesWidening = "full-leaf-loses-widening"
    case keepsPrefix = "key-keeps-prefix"
    case trustsAnyEnd = "list-end-of-another-list"
    case scansAllColumns = "scan-touches-all-columns"
    // Observers.
    case wakesAfterShowing = "wake-after-publication"
    case countsDeadSleepersTwice = "dead-sleepers-counted-twice"
    // Observers, in RealmSwift, which asks by name.
    case forgetsVersionsOfDelivery = "version-in-delivery-missed"
    case placesModificationsAnew = "modified-at-new-position"
    case keepsOldBase = "base-of-older-version"
    case stepsFromNewestKnown = "step-from-another-version"
    case keepsReleasedVersions = "released-version-stays"
    case keepsDeliveredVersions = "delivered-version-stays"
    case tellsFailedVersions = "prepared-for-failed-version"
    // Asynchronous writes.
    case completesBeforeSync = "completion-before-sync"
    case tellsFailureOnce = "group-failure-told-once"
    // Asynchronous writes, in RealmSwift, which asks by name.
    case commitsWhatIsLeftOpen = "unended-write-commits"
    case runsCancelledRequests = "cancelled-request-runs"
    // Migrations.
    case announcesNoLayout = "migration-not-announced"
    // Migrations, in RealmSwift, which asks by name.
    case migratesInTwoCommits = "migration-commits-twice"
    case storesSchemaVersionFirst = "schema-version-first"
    case commitsFailedMigrations = "failed-migration-commits"
}

#if PLANTED_BUGS
/// The planted bugs, for tools.
package enum PlantedBugs {
    /// The environment variable that selects the bug of a process and of those that it starts.
    package static let variable = "REALM_PLANTED_BUG"

    package static var names: [String] { PlantedBug.allCases.map(\.rawValue) }

    /// Whether this process has the bug, for modules above the engine. Ends the process if there is
    /// none of that name.
    package static func isChosen(_ name: StaticString) -> Bool {
        guard let bug = PlantedBug(rawValue: "\(name)") else {
            fatalError("'\(name)' is no planted bug: \(names)")
        }
        return chosen == bug
    }

    /// The bug of this process, or nil. Ends the process for an unknown name, because otherwise an
    /// engine without a bug would be taken for one whose bug is not noticed.
    fileprivate static let chosen: PlantedBug? = {
        guard let text = getenv(variable) else { return nil }
        let name = String(cString: text)
        guard let bug = PlantedBug(rawValue: name) else {
            fatalError("'\(name)' in \(variable) is no planted bug: \(names)")
        }
        return bug
    }()
}

/// Whether this process has the bug.
@inline(__always)
func planted(_ bug: PlantedBug) -> Bool { PlantedBugs.chosen == bug }
#else
/// Always false, so that the compiler removes the code that depends on it.
@inline(__always)
func planted(_ bug: PlantedBug) -> Bool { false }
#endif

/// The thread that last asked for the write lock; for ``PlantedBug/givesLockToThread``.
enum PlantedLockOwner {
    #if PLANTED_BUGS
    private static let thread = Locked<UInt>(0)

    static func note() { thread.withLock { $0 = realm_thread_identity() } }

    static var isAnother: Bool { thread.withLock { $0 != realm_thread_identity() } }
    #else
    @_transparent
    static func note() {}

    @_transparent
    static var isAnother: Bool { false }
    #endif
}
