import Foundation
import StressModel
import Testing

@testable import StorageEngine

/// Commits whose system calls fail.
@Suite struct CommitFaultTests {
    let directory = TestDirectory()

    private func interceptor(_ faults: [SystemCallFault] = []) -> SystemInterceptor {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), faults: faults)
        interceptor.install()
        return interceptor
    }

    private func grow(_ pager: Pager, _ byte: UInt8) throws {
        try pager.write { for index in 0..<40 { try $0.set(index, value(byte, count: 20_000)) } }
    }

    @Test(arguments: [EIO, ENOSPC])
    func everyCallThatFailsIsATypedErrorAndNothingIsLost(errorNumber: Int32) throws {
        var ordinal = 1
        var poisonings = 0
        while true {
            let path = directory.file("\(ordinal).realm")
            let interceptor = interceptor()
            defer { interceptor.uninstall() }
            var isFinished = false
            do {
                let pager = try Pager(database: .open(path: path))
                try pager.write { try $0.set(0, value(1)) }
                let before = try pager.newestValues()
                interceptor.setFaults([.init(.fail(errno: errorNumber), ordinal: ordinal)])
                do {
                    try grow(pager, 2)
                    isFinished = interceptor.changeCount < ordinal
                } catch let error as StorageError {
                    #expect(!pager.isInWriteTransaction)
                    #expect(error.path == path)
                    #expect(error.systemError == errorNumber)
                    interceptor.setFaults([])
                    #expect(try pager.newestValues() == before)
                    if pager.database.coordinator.isPoisoned {
                        poisonings += 1
                        #expect(error.code == .outcomeUnknown)
                        let next = #expect(throws: StorageError.self) { try pager.beginWrite() }
                        #expect(next?.code == .outcomeUnknown)
                    } else {
                        #expect(error.code == (errorNumber == EIO ? .fileAccess : .outOfDiskSpace))
                        try grow(pager, 3)
                        #expect(try pager.newestValues()[39] == value(3, count: 20_000))
                        pager.database.writer.space?.checkInvariants()
                    }
                }
            }
            let values = try Pager(database: .open(path: path)).newestValues()
            #expect(values[0] == value(1) || values[39].first == 2 || values[39].first == 3)
            if isFinished { break }
            ordinal += 1
        }
        #expect(ordinal > 5)
        // One of them belongs to the commit slots that the file gets.
        #expect(poisonings == 2)
    }

    /// The first commit of whoever opens a file reads and clears the clean-close marker. If that
    /// fails, no record of the commit may be found when the file is opened again.
    @Test(arguments: [SystemCall.pread, .pwrite, .pwritev])
    func aFirstCommitThatFailsIsNotThereWhenTheFileIsOpenedAgain(call: SystemCall) throws {
        let interceptor = interceptor()
        defer { interceptor.uninstall() }
        var failures = 0
        for ordinal in 1... {
            let path = directory.file("\(ordinal).realm")
            try Pager(database: .open(path: path)).write { try $0.set(0, value(1)) }
            var isFinished = false
            do {
                let pager = try Pager(database: .open(path: path))
                interceptor.setFaults([.init(.fail(errno: EIO), call: call, ordinal: ordinal)])
                do {
                    try pager.write { try $0.set(0, value(2)) }
                    isFinished = true
                } catch let error as StorageError {
                    failures += 1
                    #expect(error.code == .fileAccess)
                }
                interceptor.setFaults([])
            }
            let values = try Pager(database: .open(path: path)).newestValues()
            #expect(values[0] == value(isFinished ? 2 : 1), "call \(ordinal)")
            if isFinished { break }
        }
        #expect(failures > 0)
    }

    @Test func aFullDiskIsAnErrorUntilThereIsSpace() throws {
        let interceptor = interceptor()
        defer { interceptor.uninstall() }
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write {
            try $0.set(0, value(1))
            try $0.set(60, value(1, count: 60_000))
        }
        try pager.write { try $0.set(60, []) }
        interceptor.setFaults([.init(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1)])
        for _ in 0..<3 {
            let error = #expect(throws: StorageError.self) { try grow(pager, 2) }
            #expect(error?.code == .outOfDiskSpace)
            // A value that fits into the file can be written.
            try pager.write { try $0.set(1, value(4)) }
        }
        interceptor.setFaults([])
        try grow(pager, 2)
        #expect(try pager.newestValues()[39] == value(2, count: 20_000))
    }

    @Test func withoutFallocateSpaceIsWrittenInstead() throws {
        let interceptor = interceptor(
            [.init(.failForever(errno: EOPNOTSUPP), call: .fallocate, ordinal: 2)])
        defer { interceptor.uninstall() }
        let pager = try Pager(database: .open(path: directory.file()))
        try grow(pager, 2)
        #expect(try pager.newestValues()[39] == value(2, count: 20_000))
    }

    @Test func aFileThatWasCutOutsideIsNotWrittenTo() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        try grow(pager, 1)
        try pager.beginWrite()
        try ValueStore(pager).set(50, value(9))
        #expect(truncate(directory.file(), 40 * 4096) == 0)
        let error = #expect(throws: StorageError.self) { try pager.commit() }
        #expect(error?.code == .damaged)
        #expect(!pager.isInWriteTransaction)
    }

    @Test func aFailedSyncIsNotForgottenByOtherConnections() throws {
        let interceptor = interceptor()
        defer { interceptor.uninstall() }
        let database = try Database.open(path: directory.file())
        let first = try Pager(database: database)
        let second = try Pager(
            database: .openUnregistered(path: directory.file()))
        try first.write { try $0.set(0, value(1)) }
        interceptor.setFaults([.init(.fail(errno: EIO), call: .fdatasync, ordinal: 1)])
        let error = #expect(throws: StorageError.self) {
            try first.write { try $0.set(0, value(2)) }
        }
        #expect(error?.code == .outcomeUnknown)
        for pager in [first, second] {
            let next = #expect(throws: StorageError.self) { try pager.beginWrite() }
            #expect(next?.code == .outcomeUnknown)
            #expect(try pager.newestValues()[0] == value(1))
        }
    }

    @Test func aTransactionThatMetAnErrorCannotBeCommitted() throws {
        let interceptor = interceptor()
        defer { interceptor.uninstall() }
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write { try $0.set(0, value(1)) }
        interceptor.setFaults([.init(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1)])
        try pager.beginWrite()
        try ValueStore(pager).set(0, value(2))
        let first = #expect(throws: StorageError.self) {
            try pager.allocate(pages: 300, kind: .overflow)
        }
        #expect(first?.code == .outOfDiskSpace)
        #expect(pager.transactionFailure == first)
        interceptor.setFaults([])
        // The disk has space again, and there are free pages. The transaction must still fail.
        let inUse = try ValueStore(pager).references()[0]
        let allocation = #expect(throws: StorageError.self) {
            try pager.allocate(pages: 1, kind: .overflow)
        }
        let release = #expect(throws: StorageError.self) { try pager.free(inUse) }
        let commit = #expect(throws: StorageError.self) { try pager.commit() }
        for error in [allocation, release, commit] { #expect(error == first) }
        #expect(!pager.isInWriteTransaction)
        #expect(pager.transactionFailure == nil)
        #expect(try pager.newestValues()[0] == value(1))
        try pager.write { try $0.set(0, value(3)) }
        #expect(try pager.newestValues()[0] == value(3))
    }

    @Test func aLayerAboveCanFailATransaction() throws {
        let pager = try Pager(database: .open(path: directory.file()))
        let reason = StorageError(.valueTooLarge, path: directory.file(), message: "Too large.")
        try pager.beginWrite()
        try ValueStore(pager).set(0, value(1))
        pager.failTransaction(reason)
        let error = #expect(throws: StorageError.self) { try pager.commit() }
        #expect(error == reason)
        try pager.beginWrite()
        pager.failTransaction(reason)
        pager.rollback()
        try pager.write { try $0.set(0, value(2)) }
        #expect(try pager.newestValues()[0] == value(2))
    }

    /// After a failed sync, the operating system treats the pages that it could not write as
    /// written.
    @Test func whatAFailedSyncLeftIsWrittenAgainByTheNextOpener() throws {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), faults: [], recordsTrace: true)
        interceptor.install()
        defer { interceptor.uninstall() }
        let path = directory.file()
        do {
            let pager = try Pager(database: .open(path: path))
            try pager.write {
                try $0.set(0, value(1))
                try $0.set(60, value(1, count: 60_000))
            }
            try pager.write { try $0.set(60, []) }
        }
        var disk = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        do {
            let pager = try Pager(database: .open(path: path))
            interceptor.setFaults([.init(.fail(errno: EIO), call: .fdatasync, ordinal: 1)])
            #expect(throws: StorageError.self) { try pager.write { try $0.set(0, value(2)) } }
        }
        interceptor.setFaults([])
        let before = interceptor.trace.count
        #expect(try Pager(database: .open(path: path)).newestValues()[0] == value(2))
        // The disk has everything that was written since the failed sync and before the next one.
        for event in interceptor.trace[before...] where event.path == path {
            if event.change == .sync { break }
            event.apply(to: &disk)
        }
        let copy = directory.file("after-power-loss.realm")
        try Data(disk).write(to: URL(fileURLWithPath: copy))
        #expect(try Pager(database: .open(path: copy)).newestValues()[0] == value(2))
    }
}
