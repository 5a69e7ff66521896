import ToolSupport

@testable import StorageEngine

/// A value that owns its bytes, as oracles keep it.
enum OracleValue: Hashable {
    case null
    case integer(Int64)
    case float(UInt32)
    case double(UInt64)
    case bytes([UInt8])
    case fixed16(UInt64, UInt64)
    case fixed12(UInt64, UInt32)

    init(_ scalar: Scalar) {
        switch scalar {
        case .null: self = .null
        case .integer(let value): self = .integer(value)
        case .float(let value): self = .float(value.bitPattern)
        case .double(let value): self = .double(value.bitPattern)
        case .bytes(let value): self = .bytes(Array(value))
        case .fixed16(let first, let second): self = .fixed16(first, second)
        case .fixed12(let first, let second): self = .fixed12(first, second)
        }
    }

    init(_ text: String) { self = .bytes(Array(text.utf8)) }

    init(_ mixed: MixedValue) { self = mixed.withScalar { OracleValue($0) } }

    func withScalar<R>(_ body: (Scalar) throws -> R) rethrows -> R {
        switch self {
        case .null: try body(.null)
        case .integer(let value): try body(.integer(value))
        case .float(let bits): try body(.float(Float(bitPattern: bits)))
        case .double(let bits): try body(.double(Double(bitPattern: bits)))
        case .bytes(let value): try value.withUnsafeBytes { try body(.bytes($0)) }
        case .fixed16(let first, let second): try body(.fixed16(first, second))
        case .fixed12(let first, let second): try body(.fixed12(first, second))
        }
    }
}

extension OracleValue {
    static func decimal(_ value: Decimal128) -> OracleValue { .fixed16(value.low, value.high) }

    static func link(_ link: TypedLink, as type: ValueType) -> OracleValue {
        switch type {
        case .typedLink: OracleValue(link.scalar)
        case .mixed: OracleValue(.link(link))
        default: .integer(link.key.rawValue)
        }
    }
}

/// A value and its position in the order of all candidates of its type. Equal positions mean equal
/// values.
struct Candidate {
    var order: Int
    var value: OracleValue

    /// Returns the `index`-th value of a type that is no link, in one of its encodings.
    static func make(_ type: ValueType, _ index: Int, _ random: inout SeededGenerator) -> Candidate
    {
        if type == .mixed { return mixed(index, &random) }
        let value: OracleValue =
            switch type {
            case .bool: .integer(Int64(index % 2))
            case .int: .integer(Int64(index - 500) * 7919)
            case .float: .float((Float(index) - 500.25).bitPattern)
            case .double, .date: .double((Double(index) / 4 - 100).bitPattern)
            case .string: .bytes(text(index))
            case .data: .bytes(text(index) + [0, 0xFF])
            case .uuid: .fixed16(word(index), UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
            case .objectID: .fixed12(word(index), UInt32(truncatingIfNeeded: index &* 77))
            case .decimal128: .decimal(decimal(index - 500, &random))
            case .mixed, .link, .typedLink, .embedded: preconditionFailure("no scalar type")
            }
        return Candidate(order: type == .bool ? index % 2 : index, value: value)
    }

    /// Returns a text that ascends with the index by its first bytes. Some texts are too long to be
    /// stored in a leaf.
    private static func text(_ index: Int) -> [UInt8] {
        let digits = String(100_000 + index).utf8
        return Array(digits)
            + [UInt8](
                repeating: 120, count: index % 37 == 0 ? 600 : index % 5 == 0 ? 0 : index % 23)
    }

    /// Returns a big-endian word, because ids are ordered by their bytes.
    private static func word(_ index: Int) -> UInt64 { UInt64(index + 1).byteSwapped | 0x0100 }

    /// Returns one of the encodings of a number: 5, 5.0, 5.00.
    static func decimal(_ number: Int, _ random: inout SeededGenerator) -> Decimal128 {
        let zeros = random.next(below: 4)
        let text = "\(number)" + (zeros == 0 ? "" : "." + String(repeating: "0", count: zeros))
        return Decimal128(text)!
    }

    private static func mixed(_ index: Int, _ random: inout SeededGenerator) -> Candidate {
        let number = index % 200
        func bytes(_ body: (UnsafeRawBufferPointer) -> MixedValue) -> OracleValue {
            text(number).withUnsafeBytes { OracleValue(body($0)) }
        }
        switch index / 200 % 7 {
        case 0: return Candidate(order: number % 2, value: OracleValue(.bool(number % 2 == 1)))
        case 1, 2:
            let value: MixedValue =
                switch random.next(below: 4) {
                case 0: .int(Int64(number))
                case 1: .float(Float(number))
                case 2: .double(Double(number))
                default: .decimal128(decimal(number, &random))
                }
            return Candidate(order: 1000 + number, value: OracleValue(value))
        case 3:
            return random.next(below: 2) == 0
                ? Candidate(order: 10_000 + 2 * number, value: bytes { .string($0) })
                : Candidate(order: 10_001 + 2 * number, value: bytes { .data($0) })
        case 4:
            return Candidate(order: 20_000 + number, value: OracleValue(.date(Double(number) / 8)))
        case 5:
            return Candidate(
                order: 30_000 + number, value: OracleValue(.objectID(word(number), 5)))
        default:
            return Candidate(order: 40_000 + number, value: OracleValue(.uuid(word(number), 9)))
        }
    }

    /// Returns a link in the form of a type of links. It comes after all other mixed values.
    static func link(_ link: TypedLink, as type: ValueType) -> Candidate {
        Candidate(
            order: 1_000_000 * (1 + link.table) + Int(link.key.rawValue),
            value: .link(link, as: type))
    }
}

extension Table {
    func insert(owned values: [OracleValue]) throws -> ObjectKey {
        try Self.withScalars(values[...]) { try insert($0) }
    }

    /// Calls `body` with all values at once.
    static func withScalars<R>(
        _ values: ArraySlice<OracleValue>, after scalars: [Scalar] = [],
        _ body: (UnsafeBufferPointer<Scalar>) throws -> R
    ) rethrows -> R {
        guard let value = values.first else { return try scalars.withUnsafeBufferPointer(body) }
        return try value.withScalar {
            try withScalars(values.dropFirst(), after: scalars + [$0], body)
        }
    }
}

/// Returns the code of the error that `body` throws; nil if it throws none.
func errorCode(_ body: () throws -> Void) -> StorageError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StorageError)?.code
    }
}
