import Foundation
import StorageEngine
import ToolSupport

/// A value of a property of a model.
enum ModelValue: Equatable {
    case null
    case integer(Int64)
    case float(Float)
    case double(Double)
    case bytes([UInt8])

    /// Calls `body` with the value as the engine takes it.
    func withScalar<Result>(_ body: (Scalar) throws -> Result) rethrows -> Result {
        switch self {
        case .null: try body(.null)
        case .integer(let value): try body(.integer(value))
        case .float(let value): try body(.float(value))
        case .double(let value): try body(.double(value))
        case .bytes(let bytes): try bytes.withUnsafeBytes { try body(.bytes($0)) }
        }
    }

    func isEqual(to scalar: Scalar) -> Bool { withScalar { $0.isIdentical(to: scalar) } }

    /// Calls `body` with several values.
    static func withScalars<Result>(
        _ values: [ModelValue], _ body: (UnsafeBufferPointer<Scalar>) throws -> Result
    ) rethrows -> Result {
        // All bytes lie in one block, which stays where it is while `body` runs.
        let block = values.flatMap { value -> [UInt8] in
            if case .bytes(let bytes) = value { bytes } else { [] }
        }
        return try block.withUnsafeBytes { block in
            var used = 0
            let scalars = values.map { value -> Scalar in
                guard case .bytes(let bytes) = value else { return value.withScalar { $0 } }
                defer { used += bytes.count }
                return .bytes(UnsafeRawBufferPointer(rebasing: block[used..<used + bytes.count]))
            }
            return try scalars.withUnsafeBufferPointer(body)
        }
    }
}

/// The values of one class of a model. A value follows from the seed, the number of its object, and
/// how often it was changed, so that nothing but these has to be kept to know the whole file.
struct ModelValues: Sendable {
    let properties: [ModelDescription.Property]
    private let seed: UInt64
    private let ranks: [ZipfianGenerator?]
    /// The objects that each link may lead to.
    private let targets: [[ObjectKey]]

    /// - Parameters:
    ///   - number: The place of the class in the model.
    ///   - targets: The keys of the objects that were in the file before, by the name of the class.
    init(
        _ own: ModelDescription.ModelClass, number: Int, seed: UInt64,
        targets: [String: [ObjectKey]]
    ) {
        properties = own.properties
        self.seed = mix64(seed ^ mix64(UInt64(number) &+ 0x5EED))
        self.targets = own.properties.map { targets[$0.target ?? ""] ?? [] }
        ranks = zip(own.properties, self.targets).map { property, targets in
            guard property.distribution == .zipfian else { return nil }
            return ZipfianGenerator(itemCount: property.distinct ?? max(1, targets.count))
        }
    }

    /// All values of an object that was never changed.
    func values(ofNew number: Int) -> [ModelValue] {
        properties.indices.map { value($0, of: number, changes: 0) }
    }

    func value(_ column: Int, of number: Int, changes: UInt32) -> ModelValue {
        let property = properties[column]
        if property.isPrimaryKey { return key(property, number) }
        var random = SeededGenerator(
            seed: mix64(seed ^ mix64(UInt64(column) << 32 | UInt64(changes)))
                ^ mix64(UInt64(number)))
        if let nulls = property.nulls, random.nextUnit() < nulls { return .null }
        if property.type == .link {
            let targets = targets[column]
            let place = ranks[column]?.next(using: &random) ?? random.next(below: targets.count)
            return .integer(targets[place].rawValue)
        }
        if let distinct = property.distinct {
            let rank = ranks[column]?.next(using: &random) ?? random.next(below: distinct)
            random = SeededGenerator(seed: mix64(seed ^ UInt64(column)) ^ mix64(UInt64(rank)))
        }
        return value(property, &random)
    }

    private func value(
        _ property: ModelDescription.Property, _ random: inout SeededGenerator
    ) -> ModelValue {
        func number(_ usual: [Double]) -> Double {
            let range = property.range ?? usual
            return range[0] + random.nextUnit() * (range[1] - range[0])
        }
        switch property.type {
        case .bool: return .integer(Int64(random.next(below: 2)))
        case .int:
            let range = (property.range ?? [0, 999_999]).map { Int64($0) }
            return .integer(range[0] + Int64(random.next(below: Int(range[1] - range[0]) + 1)))
        case .float: return .float(Float(number([0, 1])))
        case .double: return .double(number([0, 1]))
        case .date: return .double(number([0, 700_000_000]).rounded())
        case .string:
            return .bytes(
                (0..<length(property, &random)).map { _ in
                    UInt8(ascii: "a") + UInt8(random.next(below: 26))
                })
        case .data:
            return .bytes(
                (0..<length(property, &random)).map { _ in UInt8(random.next(below: 256)) })
        case .link: preconditionFailure("a link is chosen among objects")
        }
    }

    private func length(
        _ property: ModelDescription.Property, _ random: inout SeededGenerator
    ) -> Int {
        let range = property.length ?? [8, 20]
        return range[0] + random.next(below: range[1] - range[0] + 1)
    }

    /// The primary key of an object: its number, or a text with that number at its end.
    private func key(_ property: ModelDescription.Property, _ number: Int) -> ModelValue {
        guard property.type == .string else { return .integer(Int64(number)) }
        let digits = Array(String(number).utf8)
        let missing = (property.length?[0] ?? 0) - digits.count
        return .bytes(Array(repeating: UInt8(ascii: "0"), count: max(0, missing)) + digits)
    }
}

extension ResultDigest.Row {
    mutating func combine(_ scalar: Scalar) {
        switch scalar {
        case .null: combine(UInt64(0))
        case .integer(let value):
            combine(UInt64(1))
            combine(Int(value))
        case .float(let value):
            combine(UInt64(2))
            combine(UInt64(value.bitPattern))
        case .double(let value):
            combine(UInt64(3))
            combine(value)
        case .bytes(let bytes):
            combine(UInt64(4))
            combine(bytes)
        case .fixed16(let low, let high):
            combine(low)
            combine(high)
        case .fixed12(let low, let high):
            combine(low)
            combine(UInt64(high))
        }
    }
}
