import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Commits that are durable by their records alone, which carry what they changed.
@Suite struct RecordsWithChangesTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    /// Kinds of files, the last with hardly any room for decrypted pages.
    enum Kind: CaseIterable {
        case plain, encrypted, tight

        var options: Database.Options {
            var options = (self == .plain ? FileKind.plain : .encrypted).options
            if self == .tight { options.mostDecryptedBytes = 16 << 10 }
            return options
        }
    }

    /// Makes a file that has all its slots, and 20 values.
    private func prepared(
        _ name: String = "test.realm", _ kind: Kind = .plain,
        format: UInt32 = FileHeader.formatVersion
    ) throws -> String {
        let path = directory.file(name)
        var options = kind.options
        options.formatVersion = format
        let pager = try Pager(database: .open(path: path, options: options))
        for index in 0..<20 {
            try pager.write { try $0.set(index, value(UInt8(index + 1))) }
        }
        try pager.write { try $0.set(300, value(9, count: 300 << 10)) }
        for index in 0..<3 { try pager.write { try $0.touch(index, 77) } }
        return path
    }

    /// Opens the file and makes the first commit, which always syncs the file.
    private func opened(_ path: String, _ kind: Kind = .plain) throws -> Pager {
        let pager = try Pager(database: .open(path: path, options: kind.options))
        try pager.write { try $0.touch(5, 78) }
        #expect(pager.record?.ring.hasAllSlots == true)
        return pager
    }

    @Test(arguments: Kind.allCases) func aSmallCommitSyncsItsRecordAlone(kind: Kind) throws {
        let path = try prepared("test.realm", kind)
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try opened(path, kind)
        interceptor.setFaults([])
        let cost = try pager.write { try $0.touch(3, 99) }
        #expect(interceptor.count(of: .fdatasync) == 0)
        #expect(interceptor.count(of: .writeSynced) == 1)
        #expect(cost.syncs == 1)
        let coordinator = pager.database.coordinator
        #expect(coordinator.survivingVersion == cost.version)
        #expect(coordinator.durableVersion < cost.version)
        #expect(pager.record?.carriesChanges == true)
        let other = try Pager(database: .openUnregistered(path: path, options: kind.options))
        #expect(try other.newestValues()[3].first == 99)
    }

    /// The slots suffice for no more.
    @Test func theFileIsSyncedEveryFortyCommits() throws {
        let pager = try opened(try prepared())
        let coordinator = pager.database.coordinator
        var carried = 0
        for round in 0..<200 {
            try pager.write { try $0.touch(round % 20, UInt8(round)) }
            if pager.record?.carriesChanges == true { carried += 1 }
            #expect(coordinator.visibleSequence - coordinator.durableSequence <= 40)
        }
        #expect(carried >= 185)
    }

    // MARK: Power loss

    /// As data, which are quick to compare.
    private func contents(_ pager: Pager) throws -> [Data] {
        try pager.newestValues().map { Data($0) }
    }

    private struct Step {
        var durability = CommitDurability.full
        var change: (ValueStore) throws -> Void
    }

    /// Small changes, now and then one that is too large for a record, a file that grows, and
    /// relaxed commits.
    private func steps(_ count: Int, _ random: inout SeededGenerator) -> [Step] {
        (0..<count).map { step in
            let index = Int.random(in: 0..<20, using: &random)
            let byte = UInt8.random(in: 1...250, using: &random)
            let size = Int.random(in: 1...3000, using: &random)
            if step % 19 == 18 {
                return Step { try $0.set(index, value(byte, count: 40 << 10)) }
            }
            if step % 23 == 22 {
                return Step(durability: .relaxed) { try $0.touch(index, byte) }
            }
            return switch Int.random(in: 0..<4, using: &random) {
            case 0: Step { try $0.set(index, value(byte, count: size)) }
            case 1:
                Step {
                    try $0.touch(index, byte)
                    try $0.set((index + 1) % 20, value(byte))
                }
            default: Step { try $0.touch(index, byte) }
            }
        }
    }

    /// What a power loss, or the end of all processes, leaves at any moment of the steps: the
    /// newest acknowledged state or the one after it. `reopens`: closes the file now and then.
    @Test(arguments: Kind.allCases, [false, true])
    func everyAcknowledgedCommitSurvives(kind: Kind, reopens: Bool) throws {
        let seed: UInt64 = reopens ? 1 : 2
        var random = SeededGenerator(seed: seed)
        let path = try prepared("test.realm", kind)
        let start = try readBytes(path)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        var states: [[Data]] = []
        var history = PowerLossHistory(durable: start, pending: [], acknowledged: 0)
        func take() {
            let events = interceptor.trace.filter { $0.path == path }
            for event in events[history.eventCount...] { history.add(event) }
        }
        var carried = 0
        do {
            var pager = try Pager(database: .open(path: path, options: kind.options))
            states.append(try contents(pager))
            let steps = steps(LongTests.choose(150, otherwise: 45), &random)
            for (number, step) in steps.enumerated() {
                if reopens, number % 11 == 10 {
                    pager.endRead()
                    pager = try Pager(
                        database: .openUnregistered(path: path, options: kind.options))
                }
                try pager.beginWrite()
                try step.change(ValueStore(pager))
                _ = try pager.commit(step.durability)
                if pager.record?.carriesChanges == true { carried += 1 }
                states.append(try contents(pager))
                take()
                if step.durability == .full { history.acknowledge(number + 1) }
            }
        }
        take()
        interceptor.uninstall()
        #expect(carried > 10)
        var images = 0
        for (index, moment) in history.decisiveMoments.enumerated()
        where index % LongTests.choose(1, otherwise: 3) == 0 {
            let choices = moment.choices(exhaustivePieces: 2, samples: 2, &random)
            for choice in choices {
                images += 1
                let label = "\(kind), seed \(seed), moment \(index), pieces \(choice)"
                try directory.withImage(moment.image(choice)) {
                    try check($0, kind, states, from: moment.acknowledged, label)
                }
            }
        }
        #expect(images > 100)
    }

    private func check(
        _ path: String, _ kind: Kind, _ states: [[Data]], from acknowledged: Int, _ label: String
    ) throws {
        let found: [Data]
        do {
            let pager = try Pager(database: .open(path: path, options: kind.options))
            found = try contents(pager)
            // A relaxed commit is not acknowledged, and others may follow it.
            #expect(states[acknowledged...].prefix(3).contains(found), "\(label)")
            try pager.write { try $0.touch(1, 251) }
            try pager.write { try $0.touch(2, 252) }
        }
        var expected = found
        expected[1][0] = 251
        expected[2][0] = 252
        let again = try contents(
            Pager(database: .open(path: path, options: kind.options)))
        #expect(again == expected, "\(label), opened again")
    }

    /// Transactions of one group copy pages of each other; only the last copies are written.
    @Test(arguments: Kind.allCases)
    func changesOfAGroupAreThoseOfItsFirstTransaction(kind: Kind) throws {
        let path = try prepared("test.realm", kind)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try opened(path, kind)
        let database = pager.database
        let start = try readBytes(path)
        let events = interceptor.trace.filter { $0.path == path }.count
        interceptor.setFaults([SystemCallFault(.hold, call: .writeSynced, ordinal: 1)])
        let held = BackgroundThread { _ in
            try Pager(database: database).write { try $0.touch(0, 100) }
        }
        interceptor.waitUntilHeld()
        let others = (1...5).map { index in
            let joined = database.writer.commits.joinedTransactions
            let thread = BackgroundThread { _ in
                try Pager(database: database).write { try $0.touch(index % 2, UInt8(100 + index)) }
            }
            while database.writer.commits.joinedTransactions == joined { usleep(200) }
            return thread
        }
        interceptor.release()
        _ = try held.wait()
        for other in others { _ = try other.wait() }
        #expect(interceptor.count(of: .writeSynced) == 2)
        try directory.withImage(image(of: start, losingAfter: events, interceptor, path)) {
            let values = try Pager(
                database: .open(path: $0, options: kind.options)
            ).newestValues()
            #expect(values[0].first == 104)
            #expect(values[1].first == 105)
        }
    }

    // MARK: Damage and failures

    /// The file as a power loss leaves it that takes all pages written since a call.
    private func image(
        of start: [UInt8], losingAfter call: Int, _ interceptor: SystemInterceptor, _ path: String
    ) -> [UInt8] {
        var history = PowerLossHistory(durable: start, pending: [], acknowledged: 0)
        for event in interceptor.trace.filter({ $0.path == path })[call...] { history.add(event) }
        return history.moments.last!.image(.nothing)
    }

    /// Commits after which the file is found as a power loss leaves it that takes all pages.
    /// Returns its bytes, and the places of the records that carry changes, the oldest first.
    private func lost(
        commits: Int, _ kind: Kind = .plain
    ) throws -> (bytes: [UInt8], places: [Int]) {
        let path = try prepared("lost.realm", kind)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try opened(path, kind)
        var places: [Int] = []
        let start = try readBytes(path)
        let events = interceptor.trace.filter { $0.path == path }.count
        for index in 0..<commits {
            try pager.write { try $0.touch(index, 200) }
            let record = try #require(pager.record)
            guard record.carriesChanges, case .slot(let slot) = record.place else { continue }
            places.append(Int(slot.block * FileHeader.blockSize))
        }
        return (image(of: start, losingAfter: events, interceptor, path), places)
    }

    /// Anything but an error would lose commits that were acknowledged.
    @Test(arguments: Kind.allCases)
    func aDamagedRecordThatOthersRestOnIsReported(kind: Kind) throws {
        let (bytes, places) = try lost(commits: 5, kind)
        #expect(places.count == 5)
        for place in places.dropLast() {
            var bytes = bytes
            bytes[place + 200] ^= 1
            try directory.withImage(bytes) { path in
                let error = #expect(throws: StorageError.self) {
                    try Database.open(path: path, options: kind.options)
                }
                #expect(error?.code == .damaged)
            }
        }
    }

    /// What recovery writes is what was written before, also where it is encrypted: no key and
    /// nonce encrypt two contents.
    @Test(arguments: Kind.allCases) func runsAreMadeAgainByteForByte(kind: Kind) throws {
        let path = try prepared("test.realm", kind)
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try opened(path, kind)
        let start = try readBytes(path)
        let slots = try #require(pager.record).ring.extensionExtent
        /// The blocks of pages, but for commit slots, that were written in a file from a call on.
        func blocks(_ path: String, from first: Int = 0) -> [Block] {
            var blocks: [Block] = []
            for event in interceptor.trace.filter({ $0.path == path })[first...] {
                guard case .write(let offset, let bytes) = event.change else { continue }
                for start in stride(from: 0, to: bytes.count, by: 4096) {
                    let page = (offset + UInt64(start)) / 4096
                    if page < pager.file.firstPage || (slots.start..<slots.end).contains(page) {
                        continue
                    }
                    blocks.append(Block(page: page, bytes: Array(bytes[start...].prefix(4096))))
                }
            }
            return blocks
        }
        let before = interceptor.trace.filter { $0.path == path }.count
        for index in 0..<30 { try pager.write { try $0.touch(index % 20, UInt8(100 + index)) } }
        let written = Set(blocks(path, from: before))
        try directory.withImage(image(of: start, losingAfter: before, interceptor, path)) { image in
            let recovered = try Pager(database: .open(path: image, options: kind.options))
            #expect(try recovered.newestValues()[9].first == 129)
            let made = blocks(image)
            #expect(made.count > 2 && made.allSatisfy(written.contains))
        }
    }

    private struct Block: Hashable {
        var page: UInt64
        var bytes: [UInt8]
    }

    /// A file that has lost power is not changed by one who may only read it, and is told so.
    @Test func whoMayOnlyReadIsToldToHaveTheFileRecovered() throws {
        let (bytes, _) = try lost(commits: 5)
        try directory.withImage(bytes) { path in
            let options = Database.Options(readOnly: true)
            let error = #expect(throws: StorageError.self) {
                try Database.open(path: path, options: options)
            }
            #expect(error?.code == .permissionDenied)
            #expect(error?.message.contains("without readOnly") == true)
            #expect(try readBytes(path) == bytes)
            do { _ = try Pager(database: .open(path: path)).newestValues() }
            let values = try Pager(database: .open(path: path, options: options)).newestValues()
            #expect(values[4].first == 200)
        }
    }

    /// After the end of all processes the page cache has everything, so nothing has to be written.
    @Test func whoMayOnlyReadFindsWhatDeadProcessesLeft() throws {
        let pager = try opened(try prepared())
        for index in 0..<5 { try pager.write { try $0.touch(index, 210) } }
        try directory.withImage(readBytes(pager.database.path)) { path in
            let reader = try Pager(
                database: .open(path: path, options: Database.Options(readOnly: true)))
            #expect(try reader.newestValues()[4].first == 210)
            // A writer makes durable what the reader has adopted.
            let writer = try Pager(database: .openUnregistered(path: path))
            try writer.write { try $0.touch(7, 211) }
            #expect(try reader.newestValues()[7].first == 211)
        }
    }

    @Test func aFileSystemWithoutSyncedWritesIsUsedAsBefore() throws {
        let path = try prepared()
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try opened(path)
        interceptor.setFaults([
            SystemCallFault(.failForever(errno: EOPNOTSUPP), call: .writeSynced, ordinal: 1)
        ])
        for index in 0..<5 { try pager.write { try $0.touch(index, 220) } }
        #expect(interceptor.count(of: .writeSynced) == 1)
        #expect(interceptor.count(of: .fdatasync) == 5)
        #expect(pager.database.coordinator.durableVersion == pager.version)
    }

    @Test func aFailedSyncedWriteIsAFailedSync() throws {
        let path = try prepared()
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try opened(path)
        interceptor.setFaults([SystemCallFault(.fail(errno: EIO), call: .writeSynced, ordinal: 1)])
        let error = #expect(throws: StorageError.self) { try pager.write { try $0.touch(0, 1) } }
        #expect(error?.code == .outcomeUnknown)
        let next = #expect(throws: StorageError.self) { try pager.write { try $0.touch(0, 1) } }
        #expect(next?.code == .outcomeUnknown)
        #expect(pager.database.coordinator.isPoisoned)
    }

    @Test func aFullDiskRollsTheCommitBack() throws {
        let path = try prepared()
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        let pager = try opened(path)
        interceptor.setFaults([
            SystemCallFault(.fail(errno: ENOSPC), call: .writeSynced, ordinal: 1)
        ])
        let error = #expect(throws: StorageError.self) { try pager.write { try $0.touch(0, 1) } }
        #expect(error?.code == .outOfDiskSpace)
        try pager.write { try $0.touch(1, 230) }
        let values = try pager.newestValues()
        #expect(values[0].first != 1 && values[1].first == 230)
    }

    // MARK: Closing, relaxed commits, older files

    @Test func closingMakesThePagesDurable() throws {
        let path = try prepared()
        do {
            let pager = try opened(path)
            try pager.write { try $0.touch(0, 240) }
            #expect(pager.record?.carriesChanges == true)
        }
        let database = try Database.open(path: path)
        #expect(try database.file.readMarker() != nil)
        #expect(try Pager(database: database).newestValues()[0].first == 240)
    }

    /// Who mixes relaxed and durable commits pays for one sync each time that he changes over, not
    /// for two.
    @Test func commitsAfterARelaxedOneSyncTheFile() throws {
        let pager = try opened(try prepared())
        try pager.write { try $0.touch(0, 1) }
        #expect(pager.record?.carriesChanges == true)
        func relaxed() throws -> CommitStatistics {
            try pager.beginWrite()
            try ValueStore(pager).touch(1, 1)
            return try pager.commit(.relaxed)
        }
        #expect(try relaxed().syncs == 1)
        for _ in 0..<5 {
            #expect(try relaxed().syncs == 0)
            #expect(try pager.write { try $0.touch(0, 1) }.syncs == 1)
            #expect(pager.record?.carriesChanges == false)
        }
    }

    /// A file of an older format is one of the present format once it was opened for writing.
    @Test(arguments: [
        (Kind.plain, FileHeader.formatVersionWithoutChanges),
        (.encrypted, FileHeader.formatVersionWithoutSealedChanges),
    ])
    func anOlderFileIsUpgradedWhenItIsOpened(kind: Kind, format: UInt32) throws {
        let path = try prepared("test.realm", kind, format: format)
        var options = kind.options
        options.readOnly = true
        #expect(try Database.open(path: path, options: options).formatVersion == Int(format))
        let pager = try opened(path, kind)
        #expect(pager.database.formatVersion == Int(FileHeader.formatVersion))
        try pager.write { try $0.touch(0, 1) }
        #expect(pager.record?.carriesChanges == true)
    }
}
