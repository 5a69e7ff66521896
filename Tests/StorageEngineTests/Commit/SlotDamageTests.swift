import Foundation
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Damage to adjacent commit slots in files whose process was killed.
@Suite struct SlotDamageTests {
    let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    enum Format: String, CaseIterable { case few, all, earlier }

    private func open(_ path: String, _ kind: FileKind, _ format: Format = .few) throws -> Pager {
        var options = kind.options
        if format == .earlier { options.formatVersion = FileHeader.earlierFormatVersion }
        return try Pager(database: .open(path: path, options: options))
    }

    private func commit(
        _ number: Int, _ pager: Pager, _ durability: CommitDurability = .full
    ) throws {
        try pager.beginWrite()
        try ValueStore(pager).set(number % 7, value(UInt8(number)))
        _ = try pager.commit(durability)
    }

    /// Returns the file that a process leaves when it is killed after `count` commits, with its
    /// slots in order.
    private func image(
        _ count: Int, _ kind: FileKind, _ format: Format, synced: Bool = false
    ) throws -> (bytes: [UInt8], slots: [[CommitSlot]], newest: [CommitSlot]) {
        let path = directory.file("killed-\(UUID())")
        let pager = try open(path, kind, format)
        if format == .all { try pager.write { try $0.set(100, value(0, count: 300_000)) } }
        for number in 1...count {
            // The records of commits that are synced one by one are all in slots.
            try commit(number, pager, synced ? .relaxed : .full)
            if synced { try pager.database.writer.backgroundSync.syncNow() }
        }
        let ring = pager.database.coordinator.ring(from: pager.file.ring)
        #expect(ring.isExtended == (format == .all))
        let newest = pager.database.coordinator.visibleSequence
        return (
            try readBytes(path), [ring.front, ring.behind].filter { !$0.isEmpty },
            (newest - min(newest - 1, 2)...newest).map { ring.slot(of: $0) }
        )
    }

    /// Returns the newest commit that a damaged file holds, and whether a problem was reported; nil
    /// if the file was refused.
    private func reopen(_ image: [UInt8], _ kind: FileKind) throws -> (newest: Int, isSaid: Bool)? {
        try directory.withImage(image) { path in
            do {
                let pager = try open(path, kind)
                let values = try pager.newestValues().prefix(7)
                let newest = values.compactMap(\.first).max() ?? 0
                return (Int(newest), pager.database.takeOpeningWarning() != nil)
            } catch let error as StorageError where error.code == .damaged {
                return nil
            }
        }
    }

    @Test(arguments: FileKind.allCases, Format.allCases)
    func damageToNeighboursTakesBackOneCommitOrIsSaid(kind: FileKind, format: Format) throws {
        var random = SeededGenerator(seed: 71)
        for (count, synced) in [(1, false), (7, true), (30, false), (43, true)] {
            let image = try image(count, kind, format, synced: synced)
            #expect(try #require(try reopen(image.bytes, kind)) == (count, false))
            for width in 1...4 {
                for slots in image.slots {
                    // Damage is tried in all ranges that include one of the newest records, and in
                    // some others.
                    for first in 0...slots.count - width
                    where LongTests.isEnabled || (first + width) % 8 == 0
                        || slots[first..<first + width].contains(where: image.newest.contains)
                    {
                        var damaged = image.bytes
                        for slot in slots[first..<first + width] {
                            let start = Int(slot.block) * 4096
                            for _ in 0..<20 {
                                damaged[start + Int.random(in: 0..<4096, using: &random)] ^=
                                    .random(in: 1...255, using: &random)
                            }
                        }
                        guard let found = try reopen(damaged, kind) else { continue }
                        #expect(
                            found.newest >= count - 1 || found.isSaid,
                            "\(count) commits, \(width) slots from \(slots[first]): \(found)")
                        if format != .earlier, synced, width <= 3 {
                            #expect(found.newest >= count - 1)
                        }
                        if width == 1, synced || count < 3 {
                            #expect(found.newest >= count - 1)
                        }
                    }
                }
            }
        }
    }

    /// A newest record that power loss tore, under full durability, is not damage.
    @Test(arguments: FileKind.allCases) func aTornNewestRecordIsNotSaid(kind: FileKind) throws {
        for count in 1...20 {
            let path = directory.file("torn-\(count)")
            let pager = try open(path, kind)
            for number in 1...count { try commit(number, pager) }
            var bytes = try readBytes(path)
            let ring = pager.file.ring
            let slot = ring.slot(of: UInt64(count) + 1)
            bytes[Int(slot.block) * 4096 + 8] ^= 1
            let found = try #require(try reopen(bytes, kind))
            #expect(found.newest == count && !found.isSaid)
        }
    }

    @Test func whatWasFoundIsSaidOnceAndByVerify() throws {
        let path = directory.file("said")
        do {
            let connection = try Connection(Database.open(path: path))
            for step in 1...3 { try CrashWorkload.run(step, on: connection) }
            var bytes = try readBytes(path)
            for number: UInt64 in 2...3 {
                let block = Int(connection.database.file.ring.slot(of: number).block)
                bytes[block * 4096 + 100] ^= 1
            }
            try Data(bytes).write(to: URL(fileURLWithPath: directory.file("damaged")))
        }
        for isCompacted in [false, true] {
            let copy = directory.file("copy-\(isCompacted)")
            try Data(readBytes(directory.file("damaged"))).write(to: URL(fileURLWithPath: copy))
            let database = try Database.open(path: copy, compactingIf: { _, _ in isCompacted })
            let connection = try Connection(database)
            #expect(try CrashWorkload.step(of: connection) == 1)
            let problems = try connection.verify()
            #expect(problems.count == 1)
            let warning = try #require(database.takeOpeningWarning())
            #expect(warning.contains("2 of its commit records are damaged"))
            #expect(warning.contains(copy) && problems[0].contains("2 of its commit records"))
            #expect(database.takeOpeningWarning() == nil)
        }
        // A problem that was reported is not reported again.
        let copy = directory.file("again")
        try Data(readBytes(directory.file("damaged"))).write(to: URL(fileURLWithPath: copy))
        for opening in 0..<2 {
            let database = try Database.open(path: copy)
            #expect((database.takeOpeningWarning() == nil) == (opening == 1))
        }
    }
}
