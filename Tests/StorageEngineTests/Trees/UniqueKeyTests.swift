import Testing
import ToolSupport

@testable import StorageEngine

/// Primary keys are found and inserted in any order.
@Suite struct UniqueKeyTests {
    private let directory = TestDirectory()

    enum Order: CaseIterable {
        case ascending, descending, random, clustered
    }

    private static func numbers(_ order: Order, _ random: inout SeededGenerator) -> [Int] {
        let ascending = Array(0..<4000)
        switch order {
        case .ascending: return ascending
        case .descending: return ascending.reversed()
        case .random: return ascending.shuffled(using: &random)
        case .clustered:
            // There are runs of neighbours at random places, as with decimal numbers among other
            // strings.
            return stride(from: 0, to: 4000, by: 10).shuffled(using: &random)
                .flatMap { $0..<$0 + 10 }
        }
    }

    /// The short keys differ in their first bytes or in their lengths. The long ones differ after
    /// the part of a key that the map stores.
    private static func key(_ number: Int, _ type: ValueType) -> OracleValue {
        switch type {
        case .int: return .integer(Int64(number - 2000) << (number % 3 == 0 ? 40 : 0))
        case .uuid: return .fixed16(UInt64(number), 5)
        case .objectID: return .fixed12(7, UInt32(number))
        default:
            let text = String(number)
            if number % 100 == 7 {
                return OracleValue(String(repeating: "x", count: 255) + text)
            }
            return OracleValue(number % 5 == 0 ? "\(text)\0" : text)
        }
    }

    @Test(arguments: Order.allCases, [ValueType.int, .string, .uuid, .objectID])
    func keysAreUniqueAndFound(order: Order, type: ValueType) throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Row",
                columns: [
                    ColumnDefinition(
                        name: "key", type: type, isOptional: true, isPrimaryKey: true)
                ])
        ])
        try connection.commit()
        let table = try #require(try connection.table(named: "Row"))
        var random = SeededGenerator(seed: UInt64(type.rawValue))
        var model = Model()
        var committed = model
        func isRefused(_ key: OracleValue) -> Bool {
            errorCode { _ = try table.insert(owned: [key]) } == .duplicateKey
        }
        try connection.beginWrite()
        for number in Self.numbers(order, &random) {
            let key = Self.key(number, type)
            if model.objects[key] == nil { model.add(key, try table.insert(owned: [key])) }
            let other = Self.key(random.next(below: 4000), type)
            let chosen = random.next(below: model.keys.count)
            switch random.next(below: 60) {
            case 0:
                try #require(isRefused(key))
                try #require(model.objects[other] == nil || isRefused(other))
            case 1:
                try table.delete(model.remove(at: chosen))
            case 2 where model.objects[other] == nil:
                // The object gets another key, perhaps one that was released.
                let object = model.remove(at: chosen)
                try other.withScalar { try table.set(0, of: object, to: $0) }
                model.add(other, object)
            case 3:
                connection.rollback()
                model = committed
                try connection.beginWrite()
            case 4, 5, 6:
                try connection.commit()
                committed = model
                try connection.beginWrite()
            default: break
            }
        }
        try connection.commit()
        try #require(try table.count() == model.keys.count)
        for (key, object) in model.objects {
            try #require(try key.withScalar { try table.find(primaryKey: $0) } == object)
        }
        #expect(try connection.verify() == [])
    }

    /// The keys are also in an array, so that a seed always chooses the same ones.
    private struct Model {
        var objects: [OracleValue: ObjectKey] = [:]
        var keys: [OracleValue] = []

        mutating func add(_ key: OracleValue, _ object: ObjectKey) {
            objects[key] = object
            keys.append(key)
        }

        mutating func remove(at index: Int) -> ObjectKey {
            objects.removeValue(forKey: keys.remove(at: index))!
        }
    }
}
