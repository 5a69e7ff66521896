import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Pages that a transaction writes ahead of its commit, seen from the pager.
@Suite struct WritingAheadTests {
    private let directory = TestDirectory()

    private func open(_ kind: FileKind) throws -> Pager {
        try Pager(database: .open(path: directory.file(), options: kind.options))
    }

    /// Ends a change, and writes ahead the pages that it left in memory.
    private func writeAhead(_ pager: Pager) throws {
        pager.releaseRetiredMemory()
        try pager.limitMemoryNow()
    }

    private static func fill(_ store: ValueStore, _ byte: UInt8) throws {
        for index in 0..<10 { try store.set(index, value(byte, count: 3000)) }
    }

    @Test(arguments: FileKind.writingAhead)
    func aPageThatWasWrittenAheadIsReadAndChangedAgain(kind: FileKind) throws {
        let pager = try open(kind)
        try pager.write { store in
            try Self.fill(store, 1)
            try writeAhead(pager)
            let ahead = try #require(pager.ahead)
            let first = try store.references()[0]
            #expect(ahead.pages.contains(first.page))
            #expect(pager.writing.privateCopy(first) == nil)
            #expect(try store.values()[0] == value(1, count: 3000))
            // The value gets another place, and the old one is free at once.
            let allocated = pager.writing.map.space.allocatedPages
            try store.touch(0, 2)
            let second = try store.references()[0]
            #expect(second.page != first.page && second.birth == first.birth)
            #expect(!ahead.pages.contains(first.page))
            #expect(pager.writing.privateCopy(second) != nil)
            #expect(pager.writing.map.space.allocatedPages == allocated)
            // The place of a removed value is free at once as well, and a new value may take it.
            try store.set(1, [])
            try store.set(2, value(3))
            try writeAhead(pager)
        }
        let expected =
            [[2] + value(1, count: 2999), [], value(3)]
            + [[UInt8]](repeating: value(1, count: 3000), count: 7)
        #expect(try Array(pager.newestValues()[..<10]) == expected)
        let other = try Pager(database: pager.database)
        #expect(try Array(other.newestValues()[..<10]) == expected)
    }

    /// The next transaction has the same birth and uses the same places. Pages of the rolled-back
    /// transaction that were read before must not be taken for those that it writes.
    @Test(arguments: FileKind.writingAhead)
    func whatWasRolledBackIsNotReadLater(kind: FileKind) throws {
        let pager = try open(kind)
        try pager.write { try Self.fill($0, 1) }
        let free = try #require(pager.database.writer.space).freePages
        try pager.beginWrite()
        let store = ValueStore(pager)
        try Self.fill(store, 2)
        try writeAhead(pager)
        let abandoned = try store.references()
        #expect(try store.values()[3] == value(2, count: 3000))
        pager.rollback()
        #expect(pager.ahead == nil)
        #expect(try #require(pager.database.writer.space).freePages >= free)
        #expect(try pager.newestValues()[3] == value(1, count: 3000))

        try pager.beginWrite()
        try Self.fill(store, 4)
        #expect(try store.references() == abandoned)
        #expect(try store.values()[3] == value(4, count: 3000))
        try writeAhead(pager)
        #expect(try store.values()[3] == value(4, count: 3000))
        _ = try pager.commit()
        #expect(try pager.newestValues()[3] == value(4, count: 3000))
        let other = try Pager(database: pager.database)
        #expect(try other.newestValues()[3] == value(4, count: 3000))
    }

    /// A page is freed, and its number is allocated again in the same transaction.
    @Test(arguments: FileKind.writingAhead)
    func aNumberThatIsTakenAgainHasTheNewContents(kind: FileKind) throws {
        let pager = try open(kind)
        try pager.write { store in
            var seen: [PageReference: Int] = [:]
            for round in 0..<12 {
                try Self.fill(store, UInt8(round + 1))
                try writeAhead(pager)
                for reference in try store.references() { seen[reference, default: 0] += 1 }
                #expect(try store.values()[5] == value(UInt8(round + 1), count: 3000))
            }
            #expect(seen.values.contains { $0 > 1 })
        }
        #expect(try pager.newestValues()[5] == value(12, count: 3000))
    }

    /// A missing page is damage or fails the transaction, but does not crash.
    @Test func aPageThatWasFreedIsNotFoundAnyMore() throws {
        let pager = try open(.plainAhead)
        try pager.beginWrite()
        let store = ValueStore(pager)
        try Self.fill(store, 1)
        try writeAhead(pager)
        let reference = try store.references()[0]
        try store.set(0, [])
        let error = #expect(throws: StorageError.self) { _ = try pager.page(reference) }
        #expect(error?.code == .damaged)
        #expect(throws: StorageError.self) { try pager.free(reference) }
        pager.rollback()
    }

    @Test func databasesInMemoryWriteNothingAhead() throws {
        var options = Database.Options(inMemory: true)
        options.largestPrivateBytes = 0
        let pager = try Pager(database: .open(path: "ahead", options: options))
        try pager.write { store in
            try Self.fill(store, 1)
            try writeAhead(pager)
            #expect(pager.ahead == nil)
        }
    }

    /// Others do not notice it: the pages that it overwrites were free for all of them.
    @Test(arguments: FileKind.writingAhead)
    func readersKeepTheirVersionsMeanwhile(kind: FileKind) throws {
        let pager = try open(kind)
        for round in 1...6 { try pager.write { try Self.fill($0, UInt8(round)) } }
        let elsewhere = try Pager(
            database: .openUnregistered(path: directory.file(), options: kind.options))
        try elsewhere.beginRead()
        try pager.write { try Self.fill($0, 7) }
        let here = try Pager(database: pager.database)
        try here.beginRead()
        try pager.beginWrite()
        for round in 0..<40 {
            try Self.fill(ValueStore(pager), UInt8(100 + round))
            try writeAhead(pager)
            #expect(try ValueStore(elsewhere).values()[round % 10] == value(6, count: 3000))
            #expect(try ValueStore(here).values()[round % 10] == value(7, count: 3000))
        }
        let third = try Pager(
            database: .openUnregistered(path: directory.file(), options: kind.options))
        #expect(try third.newestValues()[0] == value(7, count: 3000))
        _ = try pager.commit()
        #expect(try third.newestValues()[0] == value(139, count: 3000))
        #expect(try ValueStore(elsewhere).values()[0] == value(6, count: 3000))
    }

    /// Some transactions wait for the disk when one begins that writes ahead, and others begin on
    /// top of it.
    @Test(arguments: FileKind.writingAhead)
    func transactionsBeforeAndBehindKeepTheirOrder(kind: FileKind) throws {
        let database = try Database.open(path: directory.file(), options: kind.options)
        try Pager(database: database).write { try Self.fill($0, 1) }
        let threads = (0..<4).map { thread in
            BackgroundThread { _ -> Int in
                let pager = try Pager(database: database)
                for _ in 0..<12 {
                    try pager.beginWrite()
                    let store = ValueStore(pager)
                    let next = try store.values()[20].first.map { $0 + 1 } ?? 1
                    try store.set(20, value(next))
                    if thread == 0 {
                        try Self.fill(store, next)
                        pager.releaseRetiredMemory()
                        try pager.limitMemoryNow()
                    }
                    _ = try pager.commit(thread == 1 ? .relaxed : .full)
                }
                return 12
            }
        }
        let count = try threads.reduce(0) { try $0 + $1.finish() }
        #expect(try Pager(database: database).newestValues()[20] == value(UInt8(count)))
    }

    /// Compares with plain values through changes, rollbacks, failing writes and reopening.
    @Test(arguments: FileKind.writingAhead, 1...4 as ClosedRange<UInt64>)
    func randomTransactionsKeepTheirValues(kind: FileKind, seed: UInt64) throws {
        let interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.path))
        interceptor.install()
        defer { interceptor.uninstall() }
        var random = SeededGenerator(seed: seed)
        var pager = try open(kind)
        var model = [[UInt8]](repeating: [], count: ValueStore.capacity)
        try pager.write { try $0.set(0, value(1)) }
        model[0] = value(1)
        for round in 0..<40 {
            let committed = model
            let fails = random.next(below: 4) == 0
            if fails {
                interceptor.setFaults([
                    SystemCallFault(
                        .fail(errno: EIO), call: .pwritev, ordinal: 1 + random.next(below: 4))
                ])
            }
            do {
                try pager.beginWrite()
                let store = ValueStore(pager)
                for _ in 0..<random.next(below: 60) {
                    try change(store, &model, &random)
                    if random.next(below: 3) == 0 { try writeAhead(pager) }
                }
                #expect(try store.values() == model, "seed \(seed), round \(round)")
                if random.next(below: 4) == 0 {
                    pager.rollback()
                    model = committed
                } else {
                    _ = try pager.commit()
                }
            } catch let error as StorageError {
                #expect(fails && error.code == .fileAccess, "seed \(seed): \(error)")
                if pager.isInWriteTransaction { pager.rollback() }
                model = committed
            }
            interceptor.setFaults([])
            if random.next(below: 8) == 0 { pager = try open(kind) }
            #expect(try pager.newestValues() == model, "seed \(seed), round \(round)")
        }
    }

    private func change(
        _ store: ValueStore, _ model: inout [[UInt8]], _ random: inout SeededGenerator
    ) throws {
        let index = random.next(below: 40)
        if !model[index].isEmpty, random.next(below: 3) == 0 {
            let byte = UInt8(random.next(below: 256))
            model[index][0] = byte
            return try store.touch(index, byte)
        }
        model[index] =
            random.next(below: 4) == 0 ? [] : randomValue(&random, maximum: 9000)
        try store.set(index, model[index])
    }
}
