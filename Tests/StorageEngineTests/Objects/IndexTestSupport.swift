import StressModel
import ToolSupport

@testable import StorageEngine

/// The values of one indexed property by the keys of their objects: the model for an index.
struct IndexModel {
    let type: ValueType
    let isOptional: Bool
    var values: [Int64: OwnedValue] = [:]

    static let types: [ValueType] = [.bool, .int, .date, .string, .uuid, .objectID]

    var definition: ColumnDefinition {
        ColumnDefinition(name: "value", type: type, isOptional: isOptional, isIndexed: true)
    }

    // MARK: Values

    /// A random value. There are few different ones, so that many objects share them, including the
    /// limits of the type.
    func randomValue(_ random: inout SeededGenerator) -> OwnedValue {
        if isOptional, random.next(below: 5) == 0 { return .null }
        switch type {
        case .bool: return .integer(Int64(random.next(below: 2)))
        case .int: return .integer(integer(&random))
        case .date: return .double(date(&random))
        case .string: return .bytes(string(&random))
        case .uuid:
            return .uuid(
                UInt64(random.next(below: 3)) << 56, UInt64(bitPattern: integer(&random)))
        default:
            return .objectID(UInt64(random.next(below: 3)) << 56, UInt32(random.next(below: 40)))
        }
    }

    private func integer(_ random: inout SeededGenerator) -> Int64 {
        switch random.next(below: 10) {
        case 0: [.min, .max, .min + 1, -1, 0][random.next(below: 5)]
        case 1: Int64(bitPattern: random.next())
        default: Int64(random.next(below: 12))
        }
    }

    private func date(_ random: inout SeededGenerator) -> Double {
        switch random.next(below: 6) {
        case 0: [.nan, -.nan, -0.0, 0, .infinity, -.infinity][random.next(below: 6)]
        case 1: Double(bitPattern: random.next())
        default: Double(random.next(below: 20)) / 2 - 5
        }
    }

    /// A string around the length at which an index truncates strings. The strings are mostly equal
    /// up to there.
    private func string(_ random: inout SeededGenerator) -> [UInt8] {
        let length = [0, 1, 2, 255, 256, 257, 300, 2000][random.next(below: 8)]
        var bytes = [UInt8](repeating: 97 + UInt8(random.next(below: 2)), count: length)
        if length > 0, random.next(below: 2) == 0 {
            bytes[length - 1] = [0, 97, 255][random.next(below: 3)]
        }
        if length > 270 { bytes[265] = UInt8(97 + random.next(below: 4)) }
        return bytes
    }

    // MARK: Order

    private func compare(_ a: OwnedValue, _ b: OwnedValue) -> Int {
        a.withScalar { a in b.withScalar { b in ValueOrder(type: type).compare(a, b) } }
    }

    /// The keys in the order of their values, then of the keys.
    func sortedKeys() -> [Int64] {
        values.sorted { left, right in
            let order = compare(left.value, right.value)
            return order != 0 ? order < 0 : left.key < right.key
        }.map(\.key)
    }

    private func isNaN(_ value: OwnedValue) -> Bool {
        if case .double(let value) = value { value.isNaN } else { false }
    }

    private func isNull(_ value: OwnedValue) -> Bool {
        if case .null = value { true } else { false }
    }

    /// Whether the comparison of the two values is true. It never is with null and NaN.
    func matches(_ value: OwnedValue, _ comparison: Comparison, _ other: OwnedValue) -> Bool {
        if isNull(value) || isNaN(value) || isNaN(other) { return false }
        let order = compare(value, other)
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less: return order < 0
        case .lessOrEqual: return order <= 0
        case .greater: return order > 0
        case .greaterOrEqual: return order >= 0
        }
    }

}

extension IndexModel {
    /// Compares all answers of an index with the model.
    func check(_ table: Table, _ random: inout SeededGenerator, _ comment: String) throws {
        guard let index = table.index(of: 0) else { throw TestFailure("\(comment): no index") }
        let sorted = sortedKeys()
        func expected(_ matches: (OwnedValue) -> Bool) -> [Int64] {
            sorted.filter { matches(values[$0]!) }
        }
        func keys(_ positions: Range<Int>) throws -> [Int64] {
            var found: [Int64] = []
            try index.forEachKey(in: positions) {
                found.append($0.rawValue)
                return true
            }
            return found
        }
        func expect(_ isTrue: Bool, _ what: String) throws {
            if !isTrue { throw TestFailure("\(comment): \(what)") }
        }
        try expect(try index.count() == sorted.count, "count")
        try expect(try keys(0..<sorted.count) == sorted, "order")
        for _ in 0..<min(6, sorted.count) {
            let position = random.next(below: sorted.count)
            try expect(
                try index.key(at: position).rawValue == sorted[position], "position \(position)")
            let end = position + random.next(below: sorted.count - position + 1)
            try expect(
                try keys(position..<end) == Array(sorted[position..<end]), "\(position)..<\(end)")
        }
        try expect(
            try keys(index.positions(where: .isNull)!) == expected(isNull), "null")
        try expect(
            try keys(index.positions(where: .isNotNull)!) == expected { !isNull($0) }, "not null")
        for _ in 0..<2 {
            var (low, high) = (randomValue(&random), randomValue(&random))
            while isNull(low) { low = randomValue(&random) }
            while isNull(high) { high = randomValue(&random) }
            for comparison in Comparison.allCases where comparison != .notEqual {
                try low.withScalar { low in
                    let test = ColumnTest.compare(comparison, low)
                    let positions = try index.positions(where: test)!
                    try expect(
                        try keys(positions) == expected { matches($0, comparison, .init(low)) },
                        "\(comparison) \(low)")
                }
            }
            try low.withScalar { low in
                try high.withScalar { high in
                    let isFrom: (OwnedValue) -> Bool = {
                        matches($0, .greaterOrEqual, .init(low))
                    }
                    try expect(
                        try keys(index.positions(where: .between(low, high))!)
                            == expected { isFrom($0) && matches($0, .lessOrEqual, .init(high)) },
                        "between \(low) and \(high)")
                    try expect(
                        try keys(index.positions(where: .range(from: low, upTo: high))!)
                            == expected { isFrom($0) && matches($0, .less, .init(high)) },
                        "from \(low) to \(high)")
                }
            }
            guard case .bytes(let bytes) = low else { continue }
            for length in [0, 1, 255, 256, 258, bytes.count] where length <= bytes.count {
                let prefix = Array(bytes.prefix(length))
                let positions = try prefix.withUnsafeBytes {
                    try index.positions(where: .hasPrefix($0))!
                }
                let matching = expected {
                    if case .bytes(let value) = $0 { value.starts(with: prefix) } else { false }
                }
                try expect(try keys(positions) == matching, "prefix of \(length) bytes")
            }
        }
    }
}

extension OwnedValue {
    /// Copies a scalar and its bytes.
    init(_ scalar: Scalar) {
        switch scalar {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .float(let value): self = .double(Double(value))
        case .bytes(let bytes): self = .bytes(Array(bytes))
        case .fixed16(let first, let second): self = .uuid(first, second)
        case .fixed12(let first, let second): self = .objectID(first, second)
        }
    }
}
