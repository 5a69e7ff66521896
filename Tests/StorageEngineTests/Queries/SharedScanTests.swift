import Foundation
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// Counts, sums, extremes and groups that two threads find, compared with those that one thread
/// finds, bit for bit. The message of a failure has the seed; `SHARED_SEED` repeats one case, and
/// `SHARED_CASES` sets the number of cases.
@Suite struct SharedScanTests {
    private let directory = TestDirectory()

    static var seeds: [UInt64] {
        func setting(_ name: String) -> UInt64? {
            ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
        }
        let cases = setting("SHARED_CASES") ?? UInt64(LongTests.choose(16, otherwise: 8))
        return setting("SHARED_SEED").map { [$0] } ?? Array(0..<cases)
    }

    /// Plain, encrypted and with little memory, with and without open changes.
    @Test(arguments: seeds)
    func twoThreadsFindWhatOneThreadFinds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var options = FileKind.everyWay[Int(seed % 4)].options
        options.mostDecryptedBytes = random.next(below: 2) == 0 ? 64 << 10 : nil
        let connection = try Connection(
            Database.open(path: directory.file("\(seed).realm"), options: options))
        let rowCount = [1, 90, 1200, 2500][random.next(below: 4)]
        let what = "SHARED_SEED=\(seed)"
        try ScannedTable.create(connection)
        try connection.beginWrite()
        for number in 0..<rowCount { try ScannedTable.insert(connection, number, &random) }
        try ScannedTable.compare(connection, count: 10, &random, "\(what), first transaction")
        try connection.commit()
        try ScannedTable.compare(connection, count: 20, &random, "\(what), committed")
        try connection.beginWrite()
        for number in 0..<rowCount / 3 {
            try ScannedTable.change(connection, of: rowCount, number, &random)
        }
        for number in 0..<rowCount / 8 {
            try ScannedTable.insert(connection, rowCount + number, &random)
        }
        try ScannedTable.compare(connection, count: 20, &random, "\(what), changed")
        try connection.commit()
        try ScannedTable.compare(connection, count: 20, &random, "\(what), committed again")
        let frozen = try Connection(freezing: connection)
        try ScannedTable.compare(frozen, count: 5, &random, "\(what), frozen")
        try frozen.searching {
            try ScannedTable.compare(frozen, count: 5, &random, "\(what), searching")
        }
        #expect(try connection.verify() == [])
    }

    /// Nearly all columns lie outside of their leaves.
    @Test func leavesOfManySpilledColumnsAreScanned() throws {
        var random = SeededGenerator(seed: 3)
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        let wide = (0..<60).map { ColumnDefinition(name: "wide\($0)", type: .data) }
        let number = ColumnDefinition(name: "number", type: .int)
        try connection.createTables([TableDefinition(name: "Wide", columns: [number] + wide)])
        let table = try #require(try connection.table(named: "Wide"))
        for _ in 0..<300 {
            let values = wide.indices.map { _ in
                OracleValue.bytes((0..<300).map { _ in UInt8(random.next(below: 256)) })
            }
            let number = Int64(random.next(below: 10))
            _ = try table.insert(owned: [.integer(number)] + values)
        }
        try connection.commit()
        let plan = try QueryPlan(table, .value(column: 0, .compare(.less, .integer(5))))
        func answers() throws -> [String] {
            [
                "\(try plan.count())", "\(try plan.sum(0).integer)",
                "\(try plan.groups(by: 0).map(\.count))", "\(try table.sum(0).integer)",
            ]
        }
        let expected = try answers()
        connection.pager.worthSharing.sharesAll = true
        for _ in 0..<20 { #expect(try answers() == expected) }
    }

    /// Which conditions two threads evaluate.
    @Test func onlyTestsOfOwnColumnsByKernelsAreShared() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try ScannedTable.create(connection)
        var random = SeededGenerator(seed: 5)
        try connection.beginWrite()
        for number in 0..<10 { try ScannedTable.insert(connection, number, &random) }
        let table = try #require(try connection.table(named: "A"))
        connection.pager.worthSharing.sharesAll = true
        let small = QueryCondition.value(column: 0, .compare(.less, .integer(3)))
        let text = QueryCondition.value(
            column: ScannedTable.text, .hasPrefix([97]))
        let own = QueryCondition.object(name: "any") { _, _ in true }
        func isShared(_ condition: QueryCondition) throws -> Bool {
            try QueryPlan(table, condition).sharedCondition(nil) != nil
        }
        for condition in [
            small, .not(small), .and([small, text]), .or([small, .not(.and([text, small]))]),
            .constant(true), .and([.constant(true), small]),
            .value(column: 0, .isIn([.integer(3), .null])),
        ] {
            #expect(try isShared(condition))
        }
        let order = QueryCondition.value(
            column: ScannedTable.text, .compare(.less, .bytes([98])))
        for condition in [
            own, order, .and([small, own]), .or([small, order]), .not(own), .constant(false),
            .or([]), .keys([ObjectKey(rawValue: 1)]), .or([small, .constant(false)]),
            .value(column: 0, .satisfies(name: "any") { _ in true }),
            .value(column: 0, .isIn((0..<40).map { .integer($0) })),
        ] {
            #expect(try !isShared(condition))
        }
        // Some objects are tested one by one, and who measures effort sees one thread.
        let plan = try QueryPlan(table, small)
        #expect(try plan.sharedCondition([]) == nil)
        let (shared, effort) = try plan.measuringEffort { try plan.sharedCondition(nil) != nil }
        #expect(!shared && effort.leaves == 0)
        connection.pager.worthSharing.sharesAll = false
        #expect(try !isShared(small))
        connection.rollback()
    }

    /// Each page in turn is damaged. Who reads alone and who shares meets the same damage, or none.
    @Test(arguments: FileKind.allCases)
    func damageIsMetWhereOneThreadMeetsIt(kind: FileKind) throws {
        let path = directory.file()
        var random = SeededGenerator(seed: 11)
        var questions: [ScannedTable.Question] = []
        let pageCount = try {
            let connection = try Connection(Database.open(path: path, options: kind.options))
            try ScannedTable.create(connection)
            try connection.beginWrite()
            for number in 0..<700 { try ScannedTable.insert(connection, number, &random) }
            try connection.commit()
            questions = (0..<40).map { _ in ScannedTable.Question.random(&random) }
            return Int(connection.pager.file.mappedPages)
        }()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        var damaged = 0
        for page in stride(from: 2, to: pageCount, by: 1 + pageCount / 120) {
            var bytes = whole
            let places = page * 4096 + 200..<page * 4096 + 210
            guard places.upperBound < bytes.count else { continue }
            for place in places { bytes[place] ^= 0x5A }
            try bytes.write(to: URL(fileURLWithPath: path))
            for question in questions.shuffled(using: &random).prefix(3) {
                let answers = [false, true].map { isShared -> String in
                    do {
                        let connection = try Connection(
                            Database.open(path: path, options: kind.options))
                        connection.pager.worthSharing.sharesAll = isShared
                        return try question.answer(connection)
                    } catch {
                        let error = error as? StorageError
                        return "\(String(describing: error?.code)) \(error?.page ?? 0)"
                    }
                }
                #expect(answers[0] == answers[1], "page \(page), \(question)")
                if answers[0].contains("damaged") { damaged += 1 }
            }
        }
        try whole.write(to: URL(fileURLWithPath: path))
        #expect(damaged > 10)
    }

    @Test func aScanEndsWhenItIsToStop() throws {
        var random = SeededGenerator(seed: 12)
        let connection = try Connection(Database.open(path: directory.file()))
        try ScannedTable.create(connection)
        try connection.beginWrite()
        for number in 0..<1000 { try ScannedTable.insert(connection, number, &random) }
        try connection.commit()
        connection.pager.worthSharing.sharesAll = true
        let questions = (0..<30).map { _ in ScannedTable.Question.random(&random) }
        let before = try questions.map { try $0.answer(connection) }
        for round in 0..<20 {
            let stop = StopRequest()
            connection.stopRequest = stop
            let thread = BackgroundThread { _ in
                for _ in 0..<round * 50 { System.giveUpProcessor() }
                stop.make()
            }
            let error = #expect(throws: StorageError.self) {
                while true { for question in questions { _ = try question.answer(connection) } }
            }
            #expect(error?.code == .interrupted)
            try thread.wait()
            connection.stopRequest = nil
        }
        #expect(try questions.map { try $0.answer(connection) } == before)
    }

    @Test(arguments: FileKind.allCases)
    func threadsThatScanBesideAWriterSeeTheirVersions(kind: FileKind) throws {
        var options = kind.options
        options.mostDecryptedBytes = 64 << 10
        let database = try Database.open(path: directory.file(), options: options)
        let writer = try Connection(database)
        var random = SeededGenerator(seed: 13)
        try ScannedTable.create(writer)
        try writer.beginWrite()
        for number in 0..<1500 { try ScannedTable.insert(writer, number, &random) }
        try writer.commit()
        let threads = (0..<3).map { number in
            BackgroundThread { isStopped in
                let connection = try Connection(database)
                var random = SeededGenerator(seed: UInt64(100 + number))
                repeat {
                    _ = try connection.refresh()
                    try ScannedTable.compare(connection, count: 5, &random, "thread \(number)")
                } while !isStopped()
            }
        }
        for round in 0..<10 {
            try writer.beginWrite()
            for number in 0..<50 {
                try ScannedTable.change(writer, of: 1500, round * 50 + number, &random)
            }
            try ScannedTable.compare(writer, count: 3, &random, "writer")
            try writer.commit()
        }
        for thread in threads { try thread.finish() }
    }

    /// The memory of a batch is bounded, whatever the size of the file.
    @Test func decryptedLeavesAreGivenBack() throws {
        var options = FileKind.encrypted.options
        options.mostDecryptedBytes = 0
        let path = directory.file()
        var random = SeededGenerator(seed: 14)
        let connection = try Connection(Database.open(path: path, options: options))
        try ScannedTable.create(connection)
        try connection.beginWrite()
        for number in 0..<2500 { try ScannedTable.insert(connection, number, &random) }
        try connection.commit()
        connection.releaseExcessMemory()
        let file = connection.pager.file
        let before = connection.decryptedBytes
        connection.pager.worthSharing.sharesAll = true
        for _ in 0..<20 {
            _ = try ScannedTable.Question.random(&random).answer(connection)
            // The newest leaf with its columns, and branches.
            #expect(connection.decryptedBytes - before < 300 << 10)
        }
        #expect(file.byteCount(file.mappedPages) > 900 << 10)
    }

    @Test(.notUnderThreadSanitizer)
    func aForkedChildScansWithASecondThreadOfItsOwn() throws {
        let directory = try CrashDirectory()
        let child = try CoordinationTestProcess("fork-and-group", directory.file("a"), "6")
        #expect(child.nextLine() == "all children grouped")
    }
}
