import Foundation
import Testing

@testable import StorageEngine

/// Several processes on one file, and processes that are killed.
@Suite struct CommitProcessTests {
    let directory = TestDirectory()

    /// Returns the number that all values hold; nil if they differ.
    private func number(_ pager: Pager, values count: Int) throws -> UInt64? {
        let values = try pager.newestValues().prefix(count)
        let numbers = Set(
            values.flatMap { value in
                value.withUnsafeBytes { bytes in
                    stride(from: 0, to: bytes.count, by: 8).map {
                        bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
                    }
                }
            })
        return numbers.count == 1 ? numbers.first : (values.isEmpty ? 0 : nil)
    }

    private func raise(_ pager: Pager, values count: Int) throws {
        try pager.write { store in
            let first = try store.values().first ?? []
            let old =
                first.isEmpty ? 0 : first.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            var value: [UInt8] = []
            for _ in 0..<500 { withUnsafeBytes(of: old + 1) { value += $0 } }
            for index in 0..<count { try store.set(index, value) }
        }
    }

    @Test func processesTakeTurnsAsWriters() throws {
        let children = try (0..<2).map { _ in
            try CoordinationTestProcess("count-in-transactions", directory.file(), "7", "60")
        }
        for child in children { #expect(child.nextLine()?.hasPrefix("open") == true) }
        let pager = try Pager(database: .open(path: directory.file()))
        for child in children { try child.proceed() }
        for _ in 0..<60 {
            try raise(pager, values: 7)
            #expect(try number(pager, values: 7) != nil)
        }
        for child in children { #expect(child.nextLine() == "done") }
        #expect(try number(pager, values: 7) == 180)
        let statistics = try pager.database.statistics()
        #expect(statistics.newestVersion == 180)
        // Live are seven values, the root, and a checkpoint.
        #expect(statistics.liveBytes <= 11 * 4096)
        for child in children { try child.proceed() }
    }

    @Test func aProcessThatMissedManyCommitsStartsFromTheCheckpoint() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try raise(pager, values: 3)
        for transactions in ["5", "24", "25", "90"] {
            let child = try CoordinationTestProcess(
                "count-in-transactions", directory.file(), "3", transactions)
            #expect(child.nextLine()?.hasPrefix("open") == true)
            try child.proceed()
            #expect(child.nextLine() == "done")
            try child.proceed()
            try raise(pager, values: 3)
            #expect(try number(pager, values: 3) != nil)
        }
        #expect(try number(pager, values: 3) == 1 + 5 + 24 + 25 + 90 + 4)
        try pager.beginWrite()
        pager.writing.map.space.checkInvariants()
        pager.rollback()
    }

    /// 300 values exceed the page list of a record, so pages are synced before the record.
    @Test(arguments: [2, 300])
    func aKilledWriterLeavesOldOrNewBehind(values: Int) throws {
        let path = directory.file()
        for isOpenElsewhere in [true, false] {
            var pager: Pager? = try Pager(database: .open(path: path))
            try raise(pager!, values: values)
            var committed = try #require(try number(pager!, values: values))
            if !isOpenElsewhere { pager = nil }
            var ordinal = 1
            while true {
                let child = try CoordinationTestProcess(
                    "count-with-faults", path, "\(values)", "kill-before:\(ordinal)")
                #expect(child.nextLine() == "committed")
                committed += 1
                if child.nextLine() == "survived" { break }
                #expect(child.waitForSignal() == SIGKILL)
                let survivor = try pager ?? Pager(database: .open(path: path))
                let found = try #require(try number(survivor, values: values))
                #expect(found >= committed && found <= committed + 3)
                committed = found
                try raise(survivor, values: values)
                committed += 1
                #expect(try number(survivor, values: values) == committed)
                ordinal += values > 100 ? 3 : 1
            }
            #expect(ordinal > 4)
            committed += 3
        }
    }

    /// The record of a large commit vouches for pages that it does not list. If its writer is
    /// killed before it has published the version, the record must be cleared before those pages
    /// are written again.
    @Test func theRecordOfAKilledWriterIsClearedBeforeAnythingIsWritten() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try raise(pager, values: 300)
        // Growing the file, writing the pages and syncing them come before the record, so kill at
        // the sync that follows.
        let child = try CoordinationTestProcess(
            "count-with-faults", directory.file(), "300", "kill-before:fdatasync:2")
        #expect(child.nextLine() == "committed")
        #expect(child.waitForSignal() == SIGKILL)
        #expect(pager.database.coordinator.visibleVersion == 2)
        let coordinator = pager.database.coordinator
        let place = coordinator.ring(from: pager.file.ring)
            .place(of: coordinator.visibleSequence + 1)
        #expect(try pager.database.file.readRecord(at: place)?.pagesWereSynced == true)
        try pager.beginWrite()
        #expect(pager.version == 2)
        #expect(try pager.database.file.readRecord(at: place) == nil)
        pager.rollback()
        try raise(pager, values: 300)
        #expect(try number(pager, values: 300) == 3)
    }

    @Test func aReaderInAnotherProcessKeepsItsVersion() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try raise(pager, values: 4)
        let child = try CoordinationTestProcess("pin-version", directory.file())
        #expect(child.nextLine() == "1")
        for _ in 0..<100 { try raise(pager, values: 4) }
        let pins = try pager.database.statistics().pinnedVersions
        #expect(pins.first?.version == 1)
        #expect(pins.first?.processID == child.processID)
        #expect(pins.first?.processName == "engine-test-process")
        #expect(try #require(pins.first).age > .zero)
        try child.proceed()
        #expect(child.nextLine() == "1")
    }

    @Test func theDeadPinNothing() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try raise(pager, values: 4)
        let child = try CoordinationTestProcess("pin-version", directory.file())
        #expect(child.nextLine() == "1")
        func isPinning() throws -> Bool {
            try pager.database.statistics().pinnedVersions
                .contains { $0.processID == child.processID }
        }
        #expect(try isPinning())
        kill(pid_t(bitPattern: child.processID), SIGKILL)
        #expect(child.waitForSignal() == SIGKILL)
        #expect(try !isPinning())
    }
}
