import Foundation
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Commit records after their pages (docs/design.md, "Records among the pages").
@Suite struct RecordsAmongPagesTests {
    let directory = TestDirectory()

    /// The bytes of the file as a process leaves it that ends now.
    private func image() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory.file())))
    }

    /// Opens a file with these bytes, under another name and without a lock file.
    private func open(_ image: [UInt8], _ kind: FileKind = .plain) throws -> Pager {
        let path = directory.file("copy-" + UUID().uuidString)
        try Data(image).write(to: URL(fileURLWithPath: path))
        return try Pager(database: .open(path: path, options: kind.earlierOptions))
    }

    private func commit(
        _ byte: UInt8, _ pager: Pager, _ durability: CommitDurability = .full, count: Int = 100
    ) throws -> CommitStatistics {
        try pager.beginWrite()
        try ValueStore(pager).set(Int(byte) % 7, value(byte, count: count))
        return try pager.commit(durability)
    }

    private func place(_ pager: Pager) throws -> RecordPlace {
        let record = try pager.database.records.record(
            of: pager.database.statistics().newestVersion)
        return try #require(record).place
    }

    /// The newest value, after ``commit(_:_:_:count:)`` with 1, 2 and so on.
    private func newest(_ pager: Pager) throws -> UInt8 {
        try pager.newestValues().compactMap(\.first).max() ?? 0
    }

    @Test(arguments: FileKind.allCases) func aSmallDurableCommitIsOneWrite(kind: FileKind) throws {
        for opening in 0..<2 {
            let pager = try Pager(
                database: .open(path: directory.file(), options: kind.earlierOptions))
            var placesBehind = 0
            for number in 1...60 {
                let statistics = try commit(UInt8(opening * 60 + number), pager)
                let place = try place(pager)
                #expect(statistics.syncs == 1)
                guard place.isPage else { continue }
                placesBehind += 1
                #expect(number > 2, "an opener looks for the first two in their slots")
                #expect(statistics.writeCalls == 1)
                let record = try #require(try pager.database.records.record(of: statistics.version))
                #expect(record.pageList.last?.end == place.page)
                #expect(statistics.bytes == (statistics.pages + 1) * 4096)
            }
            #expect(placesBehind > 45)
            #expect(try pager.spaceProblems() == [])
        }
    }

    @Test func otherCommitsHaveTheirRecordsInSlots() throws {
        let pager = try Pager(
            database: .open(path: directory.file(), options: FileKind.plain.earlierOptions))
        for number in 1...10 { _ = try commit(UInt8(number), pager) }
        #expect(try place(pager).isPage)
        _ = try commit(11, pager, .relaxed)
        #expect(try !place(pager).isPage)
        for count in [40_000, 3 << 20] {
            _ = try commit(12, pager, count: count)
            #expect(try !place(pager).isPage)
        }

        let large = try Pager(
            database: .open(path: directory.file("8192"), options: .init(pageSize: 8192)))
        let memory = try Pager(
            database: .open(path: UUID().uuidString, options: .init(inMemory: true)))
        for number in 1...60 {
            for pager in [large, memory] {
                _ = try commit(UInt8(number), pager)
                #expect(try !place(pager).isPage)
            }
        }
    }

    @Test(arguments: FileKind.allCases)
    func noDamagedBlockHidesALaterCommit(kind: FileKind) throws {
        let pager = try Pager(database: .open(path: directory.file(), options: kind.earlierOptions))
        var places: [RecordPlace] = []
        for number in 1...60 {
            _ = try commit(UInt8(number), pager)
            places.append(try place(pager))
            guard number >= 30, number % 6 == 0 else { continue }
            let image = try image()
            let newest = try #require(try pager.database.records.record(of: UInt64(number)))
            // Records before the newest checkpoint may have been freed.
            let kept = places.enumerated().filter {
                !$1.isPage || newest.place(of: UInt64($0 + 1)) == $1
            }
            #expect(kept.count { $1.isPage } > 2)
            for (index, place) in kept where index >= number - 30 {
                let block =
                    switch place {
                    case .slot(let slot): Int(slot.block)
                    case .page(let page): Int(page)
                    }
                var damaged = image
                damaged[block * 4096 + 100] ^= 1
                let isNewest = index == number - 1
                #expect(
                    try self.newest(open(damaged, kind)) == UInt8(isNewest ? number - 1 : number),
                    "record \(index + 1) of \(number), \(place)")
            }
        }
        #expect(places.contains { !$0.isPage } && places.contains { $0.isPage })
    }

    /// Power loss removes relaxed commits, but a durable one after them remains. It was not
    /// acknowledged, and is in a window that recovery does not search. Other commits get its number
    /// afterwards.
    @Test func aRecordThatALossOfPowerLeftIsNotTakenForALaterOne() throws {
        let pager = try Pager(
            database: .open(path: directory.file(), options: FileKind.plain.earlierOptions))
        // There is room between pages that stay, so that the file keeps its length.
        for (index, count) in [(10, 9 << 20), (11, 12 << 20), (10, 0)] {
            try pager.write { try $0.set(index, value(0, count: count)) }
        }
        for number in 1...30 { _ = try commit(UInt8(number), pager) }
        let before = try image()
        for number in 31...36 { _ = try commit(UInt8(number), pager, .relaxed, count: 800_000) }
        _ = try commit(37, pager)
        let place = try place(pager)
        #expect(place.isPage)
        let record = Int(place.page) * 4096
        let after = try image()
        #expect(after.count == before.count)

        var left = before
        left.replaceSubrange(record..<record + 4096, with: after[record..<record + 4096])
        // The sizes differ, so that other pages follow the same numbers.
        for size in stride(from: 700_000, through: 850_000, by: 15_000) {
            let path = directory.file("left-\(size)")
            try Data(left).write(to: URL(fileURLWithPath: path))
            let pager = try Pager(database: .open(path: path))
            #expect(try newest(pager) == 30)
            for number in 31...40 {
                _ =
                    number < 37
                    ? try commit(UInt8(number), pager, .relaxed, count: size)
                    : try commit(UInt8(number), pager)
                let image = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
                #expect(try newest(open(image)) == UInt8(number), "values of \(size) bytes")
            }
        }
    }

    @Test(arguments: FileKind.allCases, 0..<6)
    func whatIsCommittedIsFoundWithoutClosing(kind: FileKind, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var pager: Pager? = try Pager(
            database: .open(path: directory.file(), options: kind.earlierOptions))
        var model = try pager!.newestValues()
        for step in 0..<150 {
            let index = Int.random(in: 0..<20, using: &random)
            let isLarge = Int.random(in: 0..<40, using: &random) == 0
            let new = randomValue(&random, maximum: isLarge ? 1_500_000 : 9_000)
            try pager!.beginWrite()
            try ValueStore(pager!).set(index, new)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: pager!.rollback()
            case 1...2:
                _ = try pager!.commit(.relaxed)
                if model.isEmpty { model = try pager!.newestValues() }
                model[index] = new
            default:
                _ = try pager!.commit()
                if model.isEmpty { model = try pager!.newestValues() }
                model[index] = new
            }
            if step % 10 == 9 {
                let copy = try open(image(), kind)
                #expect(try copy.newestValues() == model, "step \(step)")
                #expect(try copy.spaceProblems() == [], "step \(step)")
            }
            if Int.random(in: 0..<40, using: &random) == 0 {
                pager = nil
                pager = try Pager(
                    database: .open(path: directory.file(), options: kind.earlierOptions))
            }
        }
    }
}
