import Foundation
import StorageEngine
import Testing
import ToolSupport

@testable import BenchmarkKit

/// The model of a shop, with every type of values and every operation.
let shopSuite = """
    {"name": "shop", "description": "a shop",
     "models": [{"name": "test-shop", "summary": "customers and orders",
       "classes": [
         {"name": "Customer", "objects": 40, "properties": [
           {"name": "id", "type": "string", "primary_key": true, "length": [6, 6]},
           {"name": "name", "type": "string", "length": [3, 30], "indexed": true},
           {"name": "city", "type": "string", "distinct": 5, "distribution": "zipfian"},
           {"name": "age", "type": "int", "range": [18, 99]},
           {"name": "photo", "type": "data", "length": [0, 500], "nulls": 0.5},
           {"name": "active", "type": "bool"}]},
         {"name": "Order", "objects": 100, "properties": [
           {"name": "id", "type": "int", "primary_key": true},
           {"name": "price", "type": "double", "range": [1, 100], "nulls": 0.1},
           {"name": "weight", "type": "float"},
           {"name": "made", "type": "date"},
           {"name": "customer", "type": "link", "target": "Customer", "nulls": 0.2}]},
         {"name": "Note", "objects": 0, "properties": [
           {"name": "text", "type": "string"}]}],
       "operations": [
         {"do": "insert", "class": "Order", "share": 30},
         {"do": "update", "class": "Customer", "properties": ["age", "photo"], "share": 20,
          "choice": "zipfian"},
         {"do": "update", "class": "Order", "share": 10},
         {"do": "read", "class": "Order", "share": 30, "choice": "latest"},
         {"do": "read", "class": "Customer", "properties": ["name"], "share": 10},
         {"do": "delete", "class": "Order", "share": 10},
         {"do": "insert", "class": "Note", "share": 3},
         {"do": "delete", "class": "Note", "share": 4},
         {"do": "read", "class": "Note", "share": 4}]}],
     "cases": [
       {"workload": "test-shop", "count": 500, "batch_size": 10},
       {"workload": "test-shop", "threads": 3, "seconds": 0.2, "batch_size": 5, "size": 70}]}
    """

@Suite struct ModelWorkloadTests {
    private static func model() throws -> ModelDescription {
        let suite = try BenchmarkKit.Suite.decoder.decode(
            BenchmarkKit.Suite.self, from: Data(shopSuite.utf8))
        return try #require(suite.models?.first)
    }

    private func run(
        in folder: TemporaryFolder, size: Int? = nil,
        _ change: (inout CaseOptions) -> Void
    ) throws -> CaseOutcome {
        try runCase(Self.model().asWorkload, "engine", size: size, in: folder, change)
    }

    @Test func transactionsOfAnySizeLeaveTheSameObjects() throws {
        let folder = try TemporaryFolder()
        var digests: Set<String> = []
        for batchSize in [1, 7, 1000] {
            let outcome = try run(in: folder) { options in
                options.count = 600
                options.batchSize = batchSize
            }
            #expect(try problems(outcome) == [])
            let row = outcome.results[0]
            #expect(row.operations == 600 && row.isDeterministic && row.latency != nil)
            digests.insert(try #require(row.digest))
            let commits = try #require(row.measure("commits"))
            // Transactions that only read are none.
            if batchSize == 1 {
                #expect((300...500).contains(commits))
            } else {
                #expect(commits == Double((599 + batchSize) / batchSize))
            }
        }
        #expect(digests.count == 1)
        let other = try run(in: folder) { options in
            options.count = 600
            options.seed = 5
        }
        #expect(!digests.contains(try #require(other.results[0].digest)))
    }

    @Test func severalWritersAreProvedTogether() throws {
        let folder = try TemporaryFolder()
        let counted = try run(in: folder) { options in
            options.count = 500
            options.threads = 3
            options.batchSize = 8
        }
        #expect(try problems(counted) == [])
        #expect(counted.results[0].operations == 500)
        #expect(counted.results[0].digest == nil && !counted.results[0].isDeterministic)
        let timed = try run(in: folder, size: 70) { options in
            options.seconds = 0.2
            options.threads = 2
        }
        #expect(try problems(timed) == [])
        #expect(timed.results[0].operations > 0)
    }

    @Test func theSizeScalesTheClasses() throws {
        let folder = try TemporaryFolder()
        let outcome = try run(in: folder, size: 1400) { $0.count = 1 }
        let request = try #require(outcome.verification)
        let expectation = try #require(try request.expectation(as: ModelExpectation.self))
        #expect(expectation.classes[0].objects == 400)
        #expect((999...1001).contains(expectation.classes[1].objects))
    }

    /// Changes the file behind the back of the case.
    @Test(arguments: ["lost", "changed", "added"])
    func whatTheFileLacksIsFound(how: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try run(in: folder) { $0.count = 50 }
        let path = try #require(
            try outcome.verification?.expectation(as: ModelExpectation.self)?.path)
        let connection = try Connection(Database.open(path: path, options: .ofCase))
        try connection.beginWrite()
        let table = try #require(try connection.table(named: "Order"))
        switch how {
        case "lost": try table.delete(table.key(at: 3))
        case "changed": try table.set(1, of: table.key(at: 3), to: .double(-1))
        default:
            _ = try ModelValue.withScalars([.integer(1_000_000)]) { try table.insert($0) }
        }
        try connection.commit()
        let found = try problems(outcome)
        #expect(found.contains("The objects of 'Order' are not those that were written."))
        let isCounted = found.contains { $0.contains(" objects of 'Order' instead of ") }
        #expect(isCounted == (how != "changed"))
    }

    @Test func valuesAreThoseOfTheDescription() throws {
        let model = try Self.model()
        let keys = (0..<40).map { ObjectKey(rawValue: $0) }
        let customers = ModelValues(model.classes[0], number: 0, seed: 1, targets: [:])
        let rows = (0..<1000).map { customers.values(ofNew: $0) }
        #expect(rows[7][0] == .bytes(Array("000007".utf8)))
        #expect(Set(rows.map { "\($0[2])" }).count == 5)
        // The most popular of five by Zipf has more than a third.
        let cities = Dictionary(grouping: rows) { "\($0[2])" }.values.map(\.count)
        #expect(try #require(cities.max()) > 350)
        let ages = rows.compactMap { row -> Int64? in
            if case .integer(let age) = row[3] { age } else { nil }
        }
        #expect(ages.min() == 18 && ages.max() == 99)
        #expect((400...600).contains(rows.count { $0[4] == .null }))
        let lengths = rows.compactMap { row -> Int? in
            if case .bytes(let bytes) = row[1] { bytes.count } else { nil }
        }
        #expect(lengths.min() == 3 && lengths.max() == 30)
        let orders = ModelValues(model.classes[1], number: 1, seed: 1, targets: ["Customer": keys])
        let links = Set((0..<1000).map { "\(orders.value(4, of: $0, changes: 0))" })
        #expect(links.count == 41)
        #expect(orders.value(1, of: 5, changes: 1) != orders.value(1, of: 5, changes: 2))
        #expect(orders.value(1, of: 5, changes: 1) == orders.value(1, of: 5, changes: 1))
    }
}
