import Foundation
import Testing

@testable import StorageEngine

/// System calls that fail.
@Suite struct CommitFaultTests {
    let directory = TestDirectory()

    private func interceptor(_ faults: [SystemCallFault] = []) -> SystemInterceptor {
        let interceptor = SystemInterceptor(
            scope: .files(pathPrefix: directory.path), faults: faults)
        interceptor.install()
        return interceptor
    }

    private func grow(_ pager: Pager, _ byte: UInt8) throws {
        try pager.write { for index in 0 ..< 40 { try $0.set(index, value(byte, count: 20_000)) } }
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
                        pager.database.writerState.freeSpace!.checkInvariants()
                    }
                }
            }
            let values = try Pager(database: .open(path: path)).newestValues()
            #expect(values[0] == value(1) || values[39].first == 2 || values[39].first == 3)
            if isFinished { break }
            ordinal += 1
        }
        #expect(ordinal > 5)
        #expect(poisonings == 1)
    }

    @Test func aFullDiskIsAnErrorUntilThereIsSpace() throws {
        let interceptor = interceptor()
        defer { interceptor.uninstall() }
        let pager = try Pager(database: .open(path: directory.file()))
        try pager.write { try $0.set(0, value(1)) }
        interceptor.setFaults([.init(.failForever(errno: ENOSPC), call: .fallocate, ordinal: 1)])
        for _ in 0 ..< 3 {
            let error = #expect(throws: StorageError.self) { try grow(pager, 2) }
            #expect(error?.code == .outOfDiskSpace)
            // What fits into the file is written.
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
}
