import Foundation
import RealmBenchKit

/// An order, the same as that in the Realm.
struct PlainOrder: Codable {
    var number, customer, cents: Int

    init(_ operation: BenchmarkOperation) {
        number = operation.number
        customer = operation.random(below: 100)
        cents = 100 + operation.random(below: 10_000, draw: 1)
    }
}

/// Orders in memory, and a line of JSON for each on the disk.
final class OrderJournal: BenchmarkDatabase {
    static let name = "journal"
    static let summary = "orders in memory; a line of JSON for each is appended and synced"

    private(set) var orders: [PlainOrder]
    private var unwritten = Data()
    private let file: FileHandle

    init(folder: String) throws {
        let path = folder + "/orders.jsonl"
        if !FileManager.default.fileExists(atPath: path) {
            try Data().write(to: URL(fileURLWithPath: path))
        }
        file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        orders = try (file.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
            .map { try JSONDecoder().decode(PlainOrder.self, from: $0) }
    }

    func add(_ order: PlainOrder) throws {
        orders.append(order)
        unwritten += try JSONEncoder().encode(order)
        unwritten.append(UInt8(ascii: "\n"))
    }

    func write(_ changes: () throws -> Void) throws {
        try changes()
        try file.write(contentsOf: unwritten)
        try file.synchronize()
        unwritten.removeAll(keepingCapacity: true)
    }

    func forEachObject(_ body: (String) throws -> Void) throws {
        for order in orders { try body("\(order.number) \(order.customer) \(order.cents)") }
    }
}

/// The sums that are asked for, by customer, in memory.
final class CustomerTotals: BenchmarkDatabase {
    static let name = "dictionary"
    static let summary = "the sum of each customer in a dictionary; nothing is on the disk"
    static let isInMemory = true

    private(set) var totals: [Int: Int] = [:]

    init(folder: String) {}

    func add(_ order: PlainOrder) { totals[order.customer, default: 0] += order.cents }

    func write(_ changes: () throws -> Void) throws { try changes() }

    func forEachObject(_ body: (String) throws -> Void) throws {
        for (customer, total) in totals { try body("\(customer) \(total)") }
    }
}
