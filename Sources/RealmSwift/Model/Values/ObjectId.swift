import Foundation
import StorageEngine

/// A unique identifier of twelve bytes: four bytes with the seconds since 1970, five bytes that
/// each process chooses at random, and three bytes with a counter.
///
/// ```swift
/// class Project: Object {
///     @Persisted(primaryKey: true) var _id: ObjectId
/// }
/// ```
/// A property without an initial value starts with a generated identifier. Identifiers are ordered
/// by their bytes, and thus by the time of their creation.
@frozen
public struct ObjectId: Hashable, Sendable {
    /// Bytes 0..<8, with the first byte in the most significant position.
    @usableFromInline let leading: UInt64
    /// Bytes 8..<12.
    @usableFromInline let trailing: UInt32

    @inlinable
    init(leading: UInt64, trailing: UInt32) {
        self.leading = leading
        self.trailing = trailing
    }

    /// Creates the identifier whose bytes are all zero.
    @inlinable
    public init() { self.init(leading: 0, trailing: 0) }

    /// Creates an identifier from a literal with 24 hexadecimal digits.
    ///
    /// ```swift
    /// let id = ObjectId("507f1f77bcf86cd799439011")
    /// ```
    ///
    /// - Precondition: The literal has exactly 24 hexadecimal digits.
    public init(_ str: StaticString) {
        guard let id = ObjectId(hexadecimal: str.description) else {
            stop(ObjectId.invalid(str.description))
        }
        self = id
    }

    /// Creates an identifier with a random counter.
    ///
    /// - Parameters:
    ///   - timestamp: The time, clamped to the range from 1970 to 2106.
    ///   - machineId: A number of the machine. Only the lowest three bytes are used.
    ///   - processId: A number of the process. Only the lowest two bytes are used.
    public init(timestamp: Date, machineId: Int, processId: Int) {
        self.init(
            // A time that is not a number gives 0.
            seconds: UInt32(
                Double.minimum(
                    Double(UInt32.max), Double.maximum(0, timestamp.timeIntervalSince1970))),
            origin: UInt64(machineId & 0xff_ffff) << 16 | UInt64(processId & 0xffff),
            count: .random(in: 0...ObjectIdGenerator.largestCount))
    }

    /// Returns a new identifier that is unique among all processes. It is greater than all
    /// identifiers that this process generated before.
    public static func generate() -> ObjectId { ObjectIdGenerator.shared.generate() }

    /// The time of creation, in whole seconds.
    public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(leading >> 32)) }

    /// The identifier as 24 lowercase hexadecimal digits.
    public var stringValue: String {
        hexadecimal(leading, digits: 16) + hexadecimal(UInt64(trailing), digits: 8)
    }

    /// Creates an identifier from its parts. `origin` has five bytes, `count` has three.
    init(seconds: UInt32, origin: UInt64, count: UInt32) {
        self.init(
            leading: UInt64(seconds) << 32 | origin >> 8,
            trailing: UInt32(truncatingIfNeeded: origin & 0xff) << 24 | count)
    }

    init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 24, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let leading = UInt64(text.prefix(16), radix: 16),
            let trailing = UInt32(text.suffix(8), radix: 16)
        else { return nil }
        self.init(leading: leading, trailing: trailing)
    }

    static func invalid(_ text: String) -> String {
        "Invalid Object ID string '\(text)': must be 24 hex digits"
    }
}

private func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: digits - text.count) + text
}

extension ObjectId: Comparable {
    /// Returns a Boolean value that indicates whether the first identifier is less, comparing bytes
    /// from first to last.
    public static func < (left: ObjectId, right: ObjectId) -> Bool {
        (left.leading, left.trailing) < (right.leading, right.trailing)
    }
}

extension ObjectId: CustomStringConvertible {
    /// The same text as ``stringValue``.
    public var description: String { stringValue }
}

/// The generator of identifiers of this process.
struct ObjectIdGenerator: Sendable {
    static let shared = ObjectIdGenerator()

    private struct Last {
        /// A random number that distinguishes this process from others, including its parent before
        /// a fork.
        var origin = UInt64.random(in: 0..<1 << 40)
        var forkGeneration = System.forkGeneration
        var second: UInt32 = 0
        var count = UInt32.random(in: 0..<1 << 23)
    }

    private let last = Locked(heldByForks: Last())

    static let largestCount: UInt32 = 0xff_ffff

    /// Returns the next identifier.
    ///
    /// The counter is incremented within a second, and restarts at a random value in its lower half
    /// in the next second. If the counter overflows, or the clock was set back, the identifier
    /// contains a later second than the current one.
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
