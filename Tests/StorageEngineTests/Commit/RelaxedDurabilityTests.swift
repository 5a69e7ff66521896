import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

@Suite struct RelaxedDurabilityTests {
    let directory = TestDirectory()

    private func write(
        _ pager: Pager, _ durability: CommitDurability, _ body: (ValueStore) throws -> Void
    ) throws -> CommitStatistics {
        try pager.beginWrite()
        try body(ValueStore(pager))
        return try pager.commit(durability)
    }

    @Test func aCommitIsVisibleWithoutASyncAndDurableSoonAfter() throws {
        let database = try Database.open(path: directory.file())
        let pager = try Pager(database: database)
        let reader = try Pager(database: database)
        _ = try write(pager, .full) { try $0.set(0, value(1)) }
        let cost = try write(pager, .relaxed) { try $0.set(0, value(2)) }
        #expect(cost.syncs == 0)
        #expect(cost.version == 2)
        #expect(try reader.newestValues()[0] == value(2))
        let deadline = Date() + 20
        while database.coordinator.durableVersion < 2, Date() < deadline { usleep(2000) }
        #expect(database.coordinator.durableVersion == 2)
    }

    @Test func aFullCommitMakesThoseBeforeItDurable() throws {
        let database = try Database.open(path: directory.file())
        let pager = try Pager(database: database)
        for round in 1...5 {
            _ = try write(pager, .relaxed) { try $0.set(0, value(UInt8(round))) }
        }
        let cost = try write(pager, .full) { try $0.set(1, value(9)) }
        #expect(cost.syncs == 1)
        #expect(database.coordinator.durableVersion == 6)
        #expect(database.coordinator.durableSequence == 6)
    }

    /// The clean-close marker would contradict later commits, and must be gone before slots are
    /// reused.
    @Test func theFirstCommitOfWhoeverOpensAFileIsDurable() throws {
        let path = directory.file()
        for round in 1...3 {
            let database = try Database.open(path: path)
            let pager = try Pager(database: database)
            #expect(try (database.file.readMarker() == nil) == (round == 1))
            let costs = try (1...3).map { index in
                try write(pager, .relaxed) { try $0.set(index, value(UInt8(round))) }
            }
            #expect(costs.map(\.syncs) == [1, 0, 0])
            #expect(try database.file.readMarker() == nil)
        }
    }

    /// The sync that a commit has requested comes after the database was closed, and its shared
    /// memory was unmapped. Closing takes longer than the delay of the sync.
    @Test func aSyncThatComesAfterClosingDoesNothing() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = directory.file()
        let closing = BackgroundThread { _ in
            do {
                let pager = try Pager(database: .open(path: path))
                for durability in [CommitDurability.full, .relaxed] {
                    try pager.beginWrite()
                    try ValueStore(pager).set(0, value(1))
                    _ = try pager.commit(durability)
                }
                // The first descriptors are closed after the memory was unmapped.
                interceptor.setFaults([SystemCallFault(.hold, call: .close, ordinal: 1)])
            } catch {
                interceptor.release()
                throw error
            }
        }
        interceptor.waitUntilHeld()
        usleep(150_000)
        interceptor.release()
        try closing.wait()
        let pager = try Pager(database: .open(path: path))
        #expect(try pager.newestValues()[0] == value(1))
    }

    @Test func closingMakesEverythingDurable() throws {
        let path = directory.file()
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        do {
            let pager = try Pager(database: .open(path: path))
            interceptor.setFaults([])
            for round in 1...3 {
                _ = try write(pager, .relaxed) { try $0.set(0, value(UInt8(round))) }
            }
        }
        interceptor.uninstall()
        #expect(interceptor.count(of: .fdatasync) >= 1)
        let database = try Database.open(path: path)
        #expect(try Pager(database: database).newestValues()[0] == value(3))
    }

    /// There are more relaxed commits than slots.
    @Test func moreCommitsThanSlotsNeverOverwriteWhatADurableVersionNeeds() throws {
        let path = directory.file()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        // The file has all its slots from the beginning: to get them, a commit would wait for the
        // sync that is held.
        var options = Database.Options()
        options.formatVersion = FileHeader.earlierFormatVersion
        let database = try Database.open(path: path, options: options)
        let pager = try Pager(database: database)
        let slots = Int(CommitRing.allSlots)
        let count = slots * 16
        var longestUnsynced: UInt64 = 0
        for round in 1...count {
            // However slow the machine, one sync lasts for more commits than there are slots.
            if round == slots {
                interceptor.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)])
            } else if round == slots * 4 {
                interceptor.release()
            }
            _ = try write(pager, .relaxed) { store in
                try store.set(round % 7, value(UInt8(round % 250), count: 1 + round * 31 % 9000))
            }
            let durable = database.coordinator.durableSequence
            longestUnsynced = max(longestUnsynced, database.coordinator.visibleSequence - durable)
            if durable > 0 {
                let ring = database.coordinator.ring(from: database.file.ring)
                let record = try database.file.readRecord(at: ring.place(of: durable))
                #expect(record?.sequence ?? 0 >= durable)
            }
        }
        #expect(longestUnsynced > 2 * CommitRing.allSlots)
        interceptor.uninstall()
        let events = interceptor.trace.filter { $0.path == path }
        var history = PowerLossHistory(durable: [], pending: [], acknowledged: 0)
        for event in events { history.add(event) }
        var random = SeededGenerator(seed: 8)
        let images = try CrashDirectory()
        for moment in history.decisiveMoments.dropFirst(8)
        where !moment.pending.isEmpty && .random(in: 0..<8, using: &random) == 0 {
            for _ in 0..<2 {
                try images.withImage(moment.sample(&random)) { image in
                    let pager = try Pager(database: .open(path: image))
                    let values = try pager.newestValues()
                    let version = Int(pager.version)
                    for (index, found) in values.prefix(7).enumerated() {
                        // This is the last round up to `version` that wrote this value.
                        let round = stride(from: version, to: 0, by: -1).first { $0 % 7 == index }
                        let expected = round.map {
                            value(UInt8($0 % 250), count: 1 + $0 * 31 % 9000)
                        }
                        #expect(found == expected ?? [])
                    }
                    try pager.write { try $0.set(8, value(1)) }
                }
            }
        }
    }

    /// Two processes take turns to write. Each learns from the other's record which versions are
    /// not durable yet.
    @Test(arguments: FileKind.allCases)
    func aLossOfPowerWhileTwoWriteLeavesAPrefix(kind: FileKind) throws {
        let path = directory.file()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        let pagers = try (0..<2).map { _ in
            try Pager(database: .openUnregistered(path: path, options: kind.options))
        }
        let count = 160
        for round in 1...count {
            _ = try write(pagers[round / 3 % 2], round % 12 == 0 ? .full : .relaxed) {
                try $0.set(round % 5, value(UInt8(round), count: 1 + round * 31 % 9000))
            }
        }
        interceptor.uninstall()
        var history = PowerLossHistory(durable: [], pending: [], acknowledged: 0)
        for event in interceptor.trace where event.path == path { history.add(event) }
        var random = SeededGenerator(seed: 10)
        let images = try CrashDirectory()
        var versions: Set<UInt64> = []
        for moment in history.decisiveMoments.dropFirst(8) where !moment.pending.isEmpty {
            for _ in 0..<20 {
                try images.withImage(moment.sample(&random)) { image in
                    let pager = try Pager(database: .open(path: image, options: kind.options))
                    let values = try pager.newestValues()
                    versions.insert(pager.version)
                    for (index, found) in values.prefix(5).enumerated() {
                        let round = stride(from: Int(pager.version), to: 0, by: -1)
                            .first { $0 % 5 == index }
                        let expected = round.map { value(UInt8($0), count: 1 + $0 * 31 % 9000) }
                        #expect(found == expected ?? [])
                    }
                    #expect(try pager.spaceProblems() == [])
                }
            }
        }
        #expect(versions.count > 20)
    }

    /// Commits that do not wait for the disk follow each other so fast that one writes its map of
    /// free pages while the previous map is still on its way to the file.
    @Test func manyWritersFindTheMapThatIsStillBeingWritten() throws {
        let database = try Database.open(path: directory.file())
        let writers = 4
        let rounds = 4000
        let works = (0..<writers).map { writer in
            BackgroundThread { _ in
                let pager = try Pager(database: database)
                for round in 1...rounds {
                    try pager.beginWrite()
                    try ValueStore(pager).set(writer, value(UInt8(round % 251)))
                    _ = try pager.commit(.relaxed)
                }
            }
        }
        for work in works { try work.wait() }
        let reader = try Pager(database: database)
        let values = try reader.newestValues()
        for writer in 0..<writers { #expect(values[writer] == value(UInt8(rounds % 251))) }
        #expect(reader.version == UInt64(writers * rounds))
        #expect(try reader.spaceProblems() == [])
    }

    // MARK: Space

    /// Pages that versions since the durable one wrote and no longer need are reused before any
    /// sync.
    @Test func manyCommitsBesideALongSyncDoNotMakeTheFileLonger() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let database = try Database.open(path: directory.file())
        let pager = try Pager(database: database)
        // The file gets all its slots before: that waits for a sync.
        for _ in 0...CommitRing.recordsWithFewSlots {
            _ = try write(pager, .full) { try $0.set(0, value(1)) }
        }
        _ = try write(pager, .relaxed) { try $0.set(0, value(1)) }
        try database.writer.backgroundSync.syncNow()
        let durable = database.coordinator.durableVersion
        interceptor.setFaults([SystemCallFault(.hold, call: .fdatasync, ordinal: 1)])
        _ = try write(pager, .relaxed) { try $0.set(0, value(2)) }
        let size = try database.fileSize
        for round in 1...2000 {
            _ = try write(pager, .relaxed) { try $0.set(round % 3, value(UInt8(round % 250))) }
        }
        // Without reuse, it would grow by 16 MB. A step or two come from searching for long free
        // extents.
        #expect(try database.fileSize <= size + 1 << 20)
        #expect(database.coordinator.durableVersion == durable)
        interceptor.release()
        let reader = try Pager(database: database)
        #expect(try reader.newestValues()[2000 % 3] == value(UInt8(2000 % 250)))
        #expect(try pager.spaceProblems() == [])
    }

    /// Rewrites all values repeatedly with relaxed commits.
    private func rewrite(
        _ pager: Pager, values count: Int, rounds: Int, afterEach check: () throws -> Void = {}
    ) throws {
        for round in 0..<rounds {
            let new = value(UInt8(round % 250), count: 3000)
            _ = try write(pager, .relaxed) { store in
                for index in 0..<count { try store.set(index, new) }
            }
            try check()
        }
    }

    /// Each commit frees 0.8 MiB, which is not free before it is durable. If only the clock and the
    /// ring of slots triggered syncs, sixteen such commits would wait.
    @Test func whatWaitsForASyncDoesNotMakeTheFileMuchLonger() throws {
        let database = try Database.open(path: directory.file())
        let pager = try Pager(database: database)
        try rewrite(pager, values: 200, rounds: 200)
        let statistics = try database.statistics()
        let commit = UInt64(202 * 4096)
        #expect(statistics.liveBytes <= 2 * commit)
        #expect(statistics.fileBytes <= statistics.liveBytes + 4 << 20 + 4 * commit)
        #expect(try pager.spaceProblems() == [])
    }

    /// The sync of the pages of a large commit makes the previous commits durable, and the pages
    /// that the last of them freed are free for the next one.
    @Test func aLargeCommitMakesThoseBeforeItDurableAndTheirSpaceFree() throws {
        let database = try Database.open(path: directory.file())
        let pager = try Pager(database: database)
        try rewrite(pager, values: 300, rounds: 40) {
            let coordinator = database.coordinator
            #expect(coordinator.durableVersion >= coordinator.visibleVersion - 1)
            #expect(coordinator.durableSequence >= coordinator.visibleSequence - 1)
        }
        // The file holds the newest version, the pages that it freed, those that the previous
        // version freed, and one growth step.
        #expect(try database.fileSize <= 4 * 302 * 4096 + 2 << 20)
    }

    /// Large and small commits are mixed, so that records that list their pages follow others that
    /// do not.
    @Test func aLossOfPowerAmongLargeCommitsLeavesOneOfTheVersions() throws {
        let path = directory.file()
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        let database = try Database.open(path: path)
        let pager = try Pager(database: database)
        let counts = (1...24).map { [300, 2, 260, 1, 3, 150][$0 % 6] }
        for (round, count) in counts.enumerated() {
            let new = value(UInt8(1 + round), count: 3900)
            _ = try write(pager, .relaxed) { store in
                for index in 0..<count { try store.set(index, new) }
            }
        }
        interceptor.uninstall()
        var history = PowerLossHistory(durable: [], pending: [], acknowledged: 0)
        for event in interceptor.trace where event.path == path { history.add(event) }
        var random = SeededGenerator(seed: 9)
        let images = try CrashDirectory()
        for moment in history.decisiveMoments.dropFirst(8) where !moment.pending.isEmpty {
            try images.withImage(moment.sample(&random)) { image in
                let pager = try Pager(database: .open(path: image))
                let values = try pager.newestValues()
                for (index, found) in values.enumerated() {
                    let round = counts.prefix(Int(pager.version)).lastIndex { $0 > index }
                    #expect(found == round.map { value(UInt8(1 + $0), count: 3900) } ?? [])
                }
                #expect(try pager.spaceProblems() == [])
            }
        }
    }

    /// The second of some relaxed commits did not reach the disk, but later ones that need it did.
    /// These must be gone for good, even if another commit takes the place of the second. (The
    /// first one since the file was opened is durable at once.) With 61 versions, their slots are
    /// at both ends of the ring.
    @Test(arguments: [3, 61], [nil, [UInt8](repeating: 7, count: 64)])
    func whatALossOfPowerTookDoesNotComeBack(versions: Int, key: [UInt8]?) throws {
        let path = directory.file()
        var options = Database.Options(encryptionKey: key)
        // With a checkpoint in every second record, the records after a lost one do not need it.
        options.formatVersion = FileHeader.earlierFormatVersion
        for round in 1...versions {
            let pager = try Pager(database: .open(path: path, options: options))
            _ = try write(pager, .full) { try $0.set(0, value(UInt8(round))) }
        }
        var image: [UInt8] = []
        do {
            let pager = try Pager(database: .open(path: path, options: options))
            for round in 1...4 {
                _ = try write(pager, .relaxed) { try $0.set(round, value(UInt8(100 + round))) }
            }
            image = try readBytes(path)
        }
        let lost = (2 + (versions + 2) % 64) * CommitRecord.size
        for index in lost..<lost + CommitRecord.size { image[index] = 0 }
        let images = try CrashDirectory()
        for isBesideReader in [false, true] {
            try images.withImage(image) { path in
                try continueImage(path, options, isBesideReader, versions: versions)
                let pager = try Pager(database: .open(path: path, options: options))
                let values = try pager.newestValues()
                #expect(pager.version == UInt64(versions) + 2)
                #expect(values[0] == value(UInt8(versions)))
                #expect(Array(values[1...4]) == [value(101), [], [], []])
                #expect(values[5] == value(200))
            }
        }
    }

    /// Continues a file after power loss. It is a separate function, so that the database is closed
    /// when it returns. If `isBesideReader`, the process that recovers the file may only read it.
    private func continueImage(
        _ path: String, _ options: Database.Options, _ isBesideReader: Bool, versions: Int
    ) throws {
        var readOnly = options
        readOnly.readOnly = true
        let reader =
            try isBesideReader ? Pager(database: .open(path: path, options: readOnly)) : nil
        let pager = try Pager(database: .open(path: path, options: options))
        #expect(try pager.newestValues()[0] == value(UInt8(versions)))
        #expect(pager.version == UInt64(versions) + 1)
        _ = try write(pager, .full) { try $0.set(5, value(200)) }
        if let reader { #expect(try reader.newestValues()[5] == value(200)) }
    }

    @Test func aFailedBackgroundSyncPoisonsTheFile() throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let database = try Database.open(path: directory.file())
        let pager = try Pager(database: database)
        _ = try write(pager, .full) { try $0.set(0, value(1)) }
        interceptor.setFaults([SystemCallFault(.fail(errno: EIO), call: .fdatasync, ordinal: 1)])
        _ = try write(pager, .relaxed) { try $0.set(0, value(2)) }
        let deadline = Date() + 20
        while !database.coordinator.isPoisoned, Date() < deadline { usleep(2000) }
        let error = #expect(throws: StorageError.self) {
            try write(pager, .full) { try $0.set(0, value(3)) }
        }
        #expect(error?.code == .outcomeUnknown)
    }

    @Test func aDatabaseInMemoryTakesAnyDurability() throws {
        var options = Database.Options()
        options.inMemory = true
        let pager = try Pager(
            database: .open(path: "relaxed-\(UUID().uuidString)", options: options))
        let cost = try write(pager, .relaxed) { try $0.set(0, value(1)) }
        #expect(cost.syncs == 0)
        #expect(try pager.newestValues()[0] == value(1))
    }
}
