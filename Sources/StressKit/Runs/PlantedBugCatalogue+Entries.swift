extension PlantedBugCatalogue {
    private static let survivesPowerLoss = "E5: what was acknowledged survives a loss of power"
    private static let prefix = "E5: after any crash there is a prefix of the commits"
    private static let relaxed = "E8: a loss of power takes newest relaxed commits, never the file"
    private static let reuse = "E10: space is reused, and only what nobody needs"
    private static let damage = "E14: a damaged page is an error, never wrong data"
    private static let failedCalls = "E13: a call that fails undoes the transaction"
    private static let failedSync = "E18: after a failed sync everybody is told"
    private static let launches = "E9: processes that launch at once all come"
    private static let told = "E25: observers are told of every version, whoever dies"
    private static let changes = "E25: what is told leads from what was told before to what is now"
    private static let migrated = "E5: a migration is one commit, of which there is all or nothing"
    private static let sound = "E14: links, backlinks, keys and indexes fit together"

    static let recovery = [
        PlantedBugEntry(
            "skip-sync", "a commit returns without having been synced",
            breaks: survivesPowerLoss, "power-loss/full"),
        PlantedBugEntry(
            "publish-before-sync", "a version is visible before it is durable",
            breaks: "E7: under full durability others see a version once it is durable",
            "staged/publication"),
        PlantedBugEntry(
            "large-commit-one-sync", "a commit too large for its record's list is synced once",
            breaks: prefix, "power-loss/growing"),
        PlantedBugEntry(
            "trust-page-seals", "recovery asks a page's own seal, not the record's list",
            breaks: prefix, "power-loss/full", "power-loss/grouped"),
        PlantedBugEntry(
            "zero-pages-intact", "recovery takes listed pages of zeros for intact",
            breaks: prefix, "power-loss/creating", "power-loss/full"),
        PlantedBugEntry(
            "zero-slot-is-record", "recovery does not miss records that a free map is rebuilt from",
            breaks: relaxed, "power-loss/relaxed-slots", "power-loss/relaxed"),
        PlantedBugEntry(
            "zero-file-is-new", "a file of zeros, however long, is taken for one to be created",
            breaks: "E15: what is no database is refused", "hostile-files/zeros"),
        PlantedBugEntry(
            "relaxed-slot-reuse", "records of unsynced versions replace those of the durable one",
            breaks: relaxed, "power-loss/relaxed-slots"),
        PlantedBugEntry(
            "adopt-without-sync", "a version that may not be durable is built upon",
            breaks: prefix, "power-loss/adopted"),
        PlantedBugEntry(
            "durable-floor-too-high", "a record names a floor that is not durable",
            breaks: relaxed, "power-loss/relaxed"),
        PlantedBugEntry(
            "marker-before-sync", "relaxed commits are said to be durable without a sync",
            breaks: relaxed, "power-loss/relaxed"),
        PlantedBugEntry(
            "abandoned-record-stays", "the record of a writer that was killed is not cleared",
            breaks: prefix, "process-death/twice"),
        PlantedBugEntry(
            "changes-not-synced", "a record with changes is written and not synced",
            breaks: survivesPowerLoss, "power-loss/changes"),
        PlantedBugEntry(
            "changes-without-last-run", "a record carries the changes of all runs but one",
            breaks: survivesPowerLoss, "power-loss/changes"),
        PlantedBugEntry(
            "commit-forgets-changes-before",
            "a commit that syncs the file does not say that it rests on changes",
            breaks: prefix, "power-loss/changes-wrapping", "power-loss/changes"),
        PlantedBugEntry(
            "relaxed-commit-after-changes",
            "a relaxed commit after records with changes is not synced",
            breaks: survivesPowerLoss, "power-loss/changes-mixed"),
        PlantedBugEntry(
            "changed-pages-taken-as-they-are", "recovery rebuilds no run from changes",
            breaks: survivesPowerLoss, "power-loss/changes"),
        PlantedBugEntry(
            "marker-before-changed-pages", "a file is closed in order before its pages are synced",
            breaks: survivesPowerLoss, "power-loss/changes"),
        PlantedBugEntry(
            "changes-without-end", "records with changes go round the ring without a sync",
            breaks: survivesPowerLoss, "power-loss/changes-wrapping"),
        PlantedBugEntry(
            "upgrade-in-memory-only", "an older file is written to under its old header",
            breaks: survivesPowerLoss, "process-death/upgrading"),
        PlantedBugEntry(
            "upgrade-not-synced", "an older file's new header is not synced before its pages",
            breaks: survivesPowerLoss, "power-loss/upgrading"),
        PlantedBugEntry(
            "upgrade-forgets-slots", "an upgraded file's pages begin where those of a new one do",
            breaks: survivesPowerLoss, "process-death/upgrading"),
    ]

    static let space = [
        PlantedBugEntry(
            "reuse-by-visible-version", "space is reused before a crash cannot lead back to it",
            breaks: relaxed, "power-loss/relaxed"),
        PlantedBugEntry(
            "sync-not-announced", "what a sync under way makes durable is said to nobody",
            breaks: relaxed, "process-death/restarted", "power-loss/relaxed-slots"),
        PlantedBugEntry(
            "reuse-pinned-pages", "pages that a reader has pinned are reused",
            breaks: "E4: a reader sees one version", "pinned-readers/one"),
        PlantedBugEntry(
            "pins-of-the-dead-stay", "versions that killed processes had pinned stay pinned",
            breaks: "E9: the pins of a killed process are released", "process-death/survivor"),
        PlantedBugEntry(
            "rollback-loses-group", "rolling back takes back the group before as well",
            breaks: "E7: a rollback leaves the group untouched", "many-writers/threads",
            "long-runs/mixed"),
        PlantedBugEntry(
            "rollback-leaks-pages", "what was rolled back keeps its pages for ever",
            breaks: reuse, "failing-calls/once", "long-runs/mixed"),
        PlantedBugEntry(
            "checkpoint-pages-leak", "old maps of free pages are never freed",
            breaks: reuse, "pinned-readers/one"),
        PlantedBugEntry(
            "checkpoint-read-too-early",
            "a map of free pages is looked for in the file before it is there",
            breaks: "E7: while one group is written, further writers go on",
            "many-writers/threads"),
    ]

    static let shrinking = [
        PlantedBugEntry(
            "moved-value-left-behind", "a long value is moved, and its object not told",
            breaks: "E11: live data is moved from the tail", "pinned-readers/shrinking"),
        PlantedBugEntry(
            "compact-open-file", "a file is replaced though another process has it open",
            breaks: "E5: what was acknowledged is there", "process-death/compacting-beside"),
        PlantedBugEntry(
            "compact-directory-not-synced", "a compacted file's name is not made durable",
            breaks: survivesPowerLoss, "power-loss/compacting"),
        PlantedBugEntry(
            "launch-fails-with-compaction",
            "what keeps a file from being compacted keeps it from being opened",
            breaks: launches, "many-writers/launches"),
        PlantedBugEntry(
            "launch-fails-beside-another", "a file cannot be opened that another process compacts",
            breaks: launches, "many-writers/launches"),
    ]

    static let locks = [
        PlantedBugEntry(
            "lock-belongs-to-thread", "only the thread that took the write lock hands it on",
            breaks: "E4: transactions may move between threads", "staged/passed-on"),
        PlantedBugEntry(
            "lock-not-robust", "writers wait for one that was killed",
            breaks: "E9: the write lock of a killed process passes on", "process-death/beside"),
        PlantedBugEntry(
            "lock-file-counted-early", "`.lock` is said to be longer before it is",
            breaks: "E9: a killed process leaves the others working", "process-death/crowded"),
        PlantedBugEntry(
            "sync-of-the-dead-stays",
            "whoever gets the place of a process that died in a sync is taken for it",
            breaks: "E9: a killed process leaves the others working", "process-death/restarted"),
        PlantedBugEntry(
            "dead-writers-sync-is-left", "nobody syncs what a process that died did not",
            breaks: "E8: relaxed commits are synced within 100 ms", "process-death/left-behind"),
        PlantedBugEntry(
            "sync-of-the-stopped-stays", "others wait for the sync of a process that is stopped",
            breaks: "E8: relaxed commits are synced within 100 ms", "process-death/stopped"),
    ]

    static let forks = [
        PlantedBugEntry(
            "table-outlives-fork", "a forked child is handed what its parent has open",
            breaks: "E9: a forked child opens anew what its parent has open", "staged/forks"),
        PlantedBugEntry(
            "forked-child-keeps-locks", "the locks of a process live as long as its children",
            breaks: "E9: the write lock of a killed process passes on", "staged/forks"),
    ]

    static let pages = [
        PlantedBugEntry(
            "stale-decrypted-page", "a page, once decrypted, is never read again",
            breaks: "E16: processes share an encrypted file", "many-writers/processes",
            "process-death/survivor"),
        PlantedBugEntry(
            "nonce-used-twice", "all seals of a session have the same number",
            breaks: "E16: no nonce is used twice", "power-loss/encrypted"),
        PlantedBugEntry(
            "checksum-not-checked", "pages are read whatever their checksum says",
            breaks: damage, "hostile-files/bytes"),
        PlantedBugEntry(
            "stale-page-accepted", "a page need not be of the version that refers to it",
            breaks: damage, "hostile-files/older"),
        PlantedBugEntry(
            "cut-file-accepted", "nobody looks whether the file is as long as its version says",
            breaks: "E15: a truncated file is an error", "hostile-files/cut"),
    ]

    static let calls = [
        PlantedBugEntry(
            "short-write-ignored", "a write that came short is taken for whole",
            breaks: failedCalls, "failing-calls/once"),
        PlantedBugEntry(
            "eintr-is-failure", "a write that a signal interrupted fails",
            breaks: failedCalls, "failing-calls/once"),
        PlantedBugEntry(
            "eintr-is-success", "a write that a signal interrupted is taken for done",
            breaks: failedCalls, "failing-calls/once"),
        PlantedBugEntry(
            "failed-write-ignored", "pages that could not be written are taken for written",
            breaks: failedCalls, "failing-calls/once"),
        PlantedBugEntry(
            "full-disk-swallowed", "a write to a full disk is taken for done",
            breaks: "E13: a full disk is an error", "failing-calls/once"),
        PlantedBugEntry(
            "half-done-change-read", "what a failed change has half done is read on",
            breaks: "E13: a full disk undoes the transaction", "failing-calls/objects"),
        PlantedBugEntry(
            "failed-sync-retried", "a sync that failed is tried again, as if that told anything",
            breaks: failedSync, "failing-calls/once"),
        PlantedBugEntry(
            "failed-sync-forgotten", "after a failed sync others write on",
            breaks: failedSync, "failing-calls/once"),
        PlantedBugEntry(
            "syncs-overlap", "two syncs at a time, of which one is told of a failure",
            breaks: failedSync, "failing-calls/overlapping"),
    ]

    static let objects = [
        PlantedBugEntry(
            "backlink-left-behind", "a deleted object stays in the backlinks of its targets",
            breaks: sound, "long-runs/mixed", "failing-calls/once"),
        PlantedBugEntry(
            "link-left-behind", "links to a deleted object stay",
            breaks: "E3: deleting an object nulls links to it", "long-runs/mixed",
            "failing-calls/once"),
        PlantedBugEntry(
            "primary-key-left-behind", "the primary key of a deleted object stays",
            breaks: sound, "long-runs/mixed", "failing-calls/once"),
        PlantedBugEntry(
            "index-entry-left-behind", "a deleted object stays in indexes",
            breaks: sound, "long-runs/mixed", "failing-calls/once"),
        PlantedBugEntry(
            "full-leaf-loses-widening",
            "a value that needs a wider column is taken for stored where the leaf has no room",
            breaks: "E4: what a transaction wrote is read", "staged/full-leaf"),
        PlantedBugEntry(
            "key-keeps-prefix",
            "a key that begins otherwise gets the prefix of its leaf",
            breaks: "E4: what a transaction wrote is read", "staged/key-prefixes"),
        PlantedBugEntry(
            "list-end-of-another-list",
            "the kept path to the end of one list is used for another one",
            breaks: "E4: what a transaction wrote is read", "long-runs/mixed"),
        PlantedBugEntry(
            "scan-touches-all-columns", "a scan reads the pages of every property",
            breaks: "E22: a scan touches its own column", "staged/column-scan"),
    ]

    static let observers = [
        PlantedBugEntry(
            "wake-after-publication", "sleepers are woken only once a version is visible",
            breaks: told, "observers/killed-writers"),
        PlantedBugEntry(
            "dead-sleepers-counted-twice",
            "what slept in a dead process is taken twice from the count of those to be woken",
            breaks: told, "observers/killed-watchers"),
        PlantedBugEntry(
            "version-in-delivery-missed",
            "nobody looks, after a delivery, for what was committed during it",
            breaks: told, "observers/alone", "observers/writers"),
        PlantedBugEntry(
            "modified-at-new-position", "modifications are told as positions in the new version",
            breaks: changes, "observers/alone"),
        PlantedBugEntry(
            "base-of-older-version", "a change set is compared with what was before the last one",
            breaks: changes, "observers/alone"),
        PlantedBugEntry(
            "step-from-another-version",
            "changes are those since the newest version that any handler knows",
            breaks: changes, "observers/alone"),
        PlantedBugEntry(
            "released-version-stays", "a version stays pinned when its last token has gone",
            breaks: "E25: what nobody observes any more is released", "observers/slow",
            "observers/alone"),
        PlantedBugEntry(
            "delivered-version-stays",
            "the version before stays pinned while the last handler that knows it runs",
            breaks: "E25: a slow observer pins what its Realm shows", "observers/slow"),
        PlantedBugEntry(
            "prepared-for-failed-version",
            "what was found for a transaction that failed is told of the next one",
            breaks: changes, "observers/failing-writes"),
    ]

    static let asyncWrites = [
        PlantedBugEntry(
            "completion-before-sync", "completion functions are called before the sync",
            breaks: survivesPowerLoss, "async-writes/power-loss"),
        PlantedBugEntry(
            "group-failure-told-once", "the first commit of a group alone is told that it failed",
            breaks: failedCalls, "async-writes/failing-calls", "async-writes/full-disk"),
        PlantedBugEntry(
            "unended-write-commits", "a transaction that its function leaves open is committed",
            breaks: "E7: what is rolled back leaves nothing", "async-writes/mixed"),
        PlantedBugEntry(
            "cancelled-request-runs", "a request that was cancelled has its turn nevertheless",
            breaks: "E7: what is rolled back leaves nothing", "async-writes/mixed"),
    ]

    static let migrations = [
        PlantedBugEntry(
            "migration-commits-twice", "a migration makes the schema version part of the file last",
            breaks: migrated, "migrations/killed", "migrations/beside"),
        PlantedBugEntry(
            "schema-version-first", "the schema version is in the file before its contents",
            breaks: migrated, "migrations/killed", "migrations/failing-calls"),
        PlantedBugEntry(
            "failed-migration-commits", "what a migration that fails has changed is committed",
            breaks: migrated, "migrations/failing-calls", "migrations/power-loss"),
        PlantedBugEntry(
            "migration-not-announced", "others give up their version before they know the next one",
            breaks: "E4: a reader sees one version", "migrations/beside"),
    ]
}
