import Foundation
import StorageEngine

/// A value of twelve bytes that is different wherever it is made: four bytes of seconds since 1970,
/// five that each process chooses at random, and three of a counter.
///
/// ```swift
/// class Project: Object {
///     @Persisted(primaryKey: true) var _id: ObjectId
/// }
/// ```
/// A property without an initial value starts with a generated one. They sort by their bytes, and
/// so by the time when they were made.
@frozen
public struct ObjectId: Hashable, Sendable {
    /// Bytes 0..<8, the first one in the highest place.
    @usableFromInline let leading: UInt64
    /// Bytes 8..<12.
    @usableFromInline let trailing: UInt32

    @inlinable
    init(leading: UInt64, trailing: UInt32) {
        self.leading = leading
        self.trailing = trailing
    }

    /// The id whose bytes are all zero.
    @inlinable
    public init() { self.init(leading: 0, trailing: 0) }

    /// Reads 24 hexadecimal digits, letters in either case.
    ///
    /// - Throws: ``Realm/Error/Code/invalidInput`` for other text.
    public init(string: String) throws {
        guard let id = ObjectId(hexadecimal: string) else {
            throw Realm.Error(.invalidInput, message: ObjectId.invalid(string))
        }
        self = id
    }

    /// Reads a literal of 24 hexadecimal digits; another one stops the program.
    ///
    /// ```swift
    /// let id = ObjectId("507f1f77bcf86cd799439011")
    /// ```
    public init(_ str: StaticString) {
        guard let id = ObjectId(hexadecimal: str.description) else {
            stop(ObjectId.invalid(str.description))
        }
        self = id
    }

    /// An id of a given time, machine (its lowest three bytes count) and process (two bytes), with
    /// a random count. Times before 1970 or after 2106 give the nearest that an id can have.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        self.init(
            // A time that is no number gives 0.
            seconds: UInt32(
                Double.minimum(
                    Double(UInt32.max), Double.maximum(0, timestamp.timeIntervalSince1970))),
            origin: UInt64(machineId & 0xff_ffff) << 16 | UInt64(processId & 0xffff),
            count: .random(in: 0...ObjectIdGenerator.largestCount))
    }

    /// An id that no other process, and no other call in this one, makes. Each is greater than
    /// those that the process made before.
    public static func generate() -> ObjectId { ObjectIdGenerator.shared.generate() }

    /// When the id was made, in whole seconds.
    public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(leading >> 32)) }

    /// 24 hexadecimal digits in lower case.
    public var stringValue: String {
        hexadecimal(leading, digits: 16) + hexadecimal(UInt64(trailing), digits: 8)
    }

    /// `origin` has five bytes, `count` three.
    init(seconds: UInt32, origin: UInt64, count: UInt32) {
        self.init(
            leading: UInt64(seconds) << 32 | origin >> 8,
            trailing: UInt32(truncatingIfNeeded: origin & 0xff) << 24 | count)
    }

    private init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 24, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let leading = UInt64(text.prefix(16), radix: 16),
            let trailing = UInt32(text.suffix(8), radix: 16)
        else { return nil }
        self.init(leading: leading, trailing: trailing)
    }

    private static func invalid(_ text: String) -> String {
        "Invalid Object ID string '\(text)': must be 24 hex digits"
    }
}

private func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
}

extension ObjectId: Comparable {
    /// By the bytes from first to last.
    public static func < (left: ObjectId, right: ObjectId) -> Bool {
        (left.leading, left.trailing) < (right.leading, right.trailing)
    }
}

extension ObjectId: CustomStringConvertible {
    /// The same as ``stringValue``.
    public var description: String { stringValue }
}

extension ObjectId: Codable {
    /// Reads a string of 24 hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        try self.init(string: decoder.singleValueContainer().decode(String.self))
    }

    /// Writes ``stringValue``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stringValue)
    }
}

/// Makes the ids of this process.
struct ObjectIdGenerator: Sendable {
    static let shared = ObjectIdGenerator()

    private struct Last {
        /// What tells this process from others, also from one that it was forked from.
        var origin = UInt64.random(in: 0..<1 << 40)
        var forkGeneration = System.forkGeneration
        var second: UInt32 = 0
        var count = UInt32.random(in: 0..<1 << 23)
    }

    private let last = Locked(heldByForks: Last())

    static let largestCount: UInt32 = 0xff_ffff

    /// Counts on within a second, and begins anywhere in the lower half with the next. Counts that
    /// run out, and a clock that was put back, make the second a later one than it is.
    func generate() -> ObjectId {
        let now = UInt32(truncatingIfNeeded: Int64(Date().timeIntervalSince1970))
        let made = last.withLock { last in
            if last.forkGeneration != System.forkGeneration { last = Last() }
            if now > last.second {
                (last.second, last.count) = (now, .random(in: 0..<1 << 23))
            } else if last.count == ObjectIdGenerator.largestCount {
                (last.second, last.count) = (last.second + 1, 0)
            } else {
                last.count += 1
            }
            return last
        }
        return ObjectId(seconds: made.second, origin: made.origin, count: made.count)
    }
}
