import Foundation
import ToolSupport

/// The kinds of properties that ``PropertyStore`` reads and writes, one property each.
public enum PropertyKind: String, Codable, CaseIterable, Sendable {
    case bool, int, float, double, string, data, date, uuid
    case objectId = "object-id"
    case decimal
    case enumeration = "enum"
    /// An integer in a property that accepts values of any type.
    case any
    /// An optional integer, which is nil for about one object in four.
    case optionalInt = "optional-int"
    /// A link; a read includes the number of the target object.
    case link
    /// An embedded object with one integer.
    case embedded

    /// Whether all values of the kind have the same size in the file and are value types without
    /// heap storage, so that reading them need not allocate.
    var isFixedWidth: Bool {
        switch self {
        case .string, .data, .link, .embedded: false
        default: true
        }
    }
}

/// One value of each kind, derived from one number.
public struct PropertyValues: Sendable {
    /// The number of objects that links lead to.
    public static let targets = 8
    /// The number of values of the enumeration, which start at 0.
    public static let grades = 3

    public let number: Int
    private let bits: UInt64

    public init(number: Int, seed: UInt64) {
        self.number = number
        bits = mix64(seed &+ UInt64(number))
    }

    public var bool: Bool { bits & 1 == 1 }
    public var int: Int { Int(bits >> 8) }
    public var float: Float { Float(bits & 0xFFFF) / 4 }
    public var double: Double { Double(bits & 0xFFFF_FFFF) / 8 }
    /// The string, which is longer than the 15 bytes that Swift stores inline.
    public var string: String { "property " + String(bits | 1 << 63, radix: 36) }
    public var data: Data { Data(bytes) }
    /// The date in whole seconds since 1970.
    public var seconds: Int { Int(bits % 2_000_000_000) }
    public var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
    public var uuid: UUID {
        bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
    /// The object identifier as 24 hexadecimal digits.
    public var objectId: String { Self.hexadecimal(objectIdBytes) }
    public var objectIdBytes: Data { Data(bytes.prefix(12)) }
    /// A decimal number with two digits after the point, of which the last is not 0.
    public var decimal: String { "\(cents / 100).\(cents / 10 % 10)\(cents % 10)" }
    public var grade: Int { Int(bits % UInt64(Self.grades)) }
    public var any: Int { int }
    public var optionalInt: Int? { bits % 4 == 0 ? nil : int }
    public var target: Int { Int(bits % UInt64(Self.targets)) }
    public var part: Int { int }

    private var cents: Int { Int(bits % 100_000) * 10 + 7 }

    private var bytes: [UInt8] {
        withUnsafeBytes(of: (bits.littleEndian, mix64(bits).littleEndian)) { Array($0) }
    }

    public static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the number that a store adds to its sum after reading a value of the kind: the value
    /// itself, its bits, or a part that is cheap to extract.
    public func word(of kind: PropertyKind) -> UInt64 {
        switch kind {
        case .bool: bool ? 1 : 0
        case .int, .any, .embedded: UInt64(int)
        case .float: UInt64(float.bitPattern)
        case .double: double.bitPattern
        case .string: UInt64(string.utf8.last ?? 0)
        case .data: UInt64(bytes[0])
        case .date: UInt64(seconds)
        case .uuid: UInt64(uuid.uuid.15)
        case .objectId: Self.firstWord(ofObjectId: bytes)
        case .decimal: UInt64(cents)
        case .enumeration: UInt64(grade)
        case .optionalInt: UInt64(optionalInt ?? 0)
        case .link: UInt64(target)
        }
    }

    /// Returns the timestamp of an object identifier: its first four bytes in big-endian order.
    private static func firstWord(ofObjectId bytes: [UInt8]) -> UInt64 {
        bytes.prefix(4).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns the whole value as text, with which files are verified.
    public func text(of kind: PropertyKind) -> String {
        switch kind {
        case .bool: String(bool)
        case .int, .any, .embedded: String(int)
        case .float: String(float)
        case .double: String(double)
        case .string: string
        case .data: Self.hexadecimal(data)
        case .date: String(seconds)
        case .uuid: uuid.uuidString
        case .objectId: objectId
        case .decimal: decimal
        case .enumeration: String(grade)
        case .optionalInt: optionalInt.map { String($0) } ?? "nil"
        case .link: String(target)
        }
    }

    static func row(_ number: Int, _ texts: [String]) -> ResultDigest.Row {
        var row = ResultDigest.Row()
        row.combine(number)
        for text in texts { row.combine(text.utf8) }
        return row
    }
}
