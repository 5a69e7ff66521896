import Glibc
import ToolSupport

/// Bytes on their way to a file or pipe, or to somebody who takes them, collected in a block of
/// memory; or bytes that stay in memory.
///
/// Appending never throws. After a failure, what follows is dropped, and ``check()`` throws.
final class ByteOutput {
    private static let blockSize = 1 << 18

    /// -1 for bytes that stay in memory.
    private let descriptor: Int32
    private let name: String
    /// Takes the bytes; nil for those of a file, a pipe or memory.
    private let taker: ((UnsafeRawBufferPointer) -> Void)?
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var writtenCount: UInt64 = 0
    private var failure: ToolError?

    /// - Parameter name: the name of the destination in messages.
    init(to descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        taker = nil
        capacity = Self.blockSize
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Creates an output whose bytes somebody takes, block by block.
    init(_ taker: @escaping (UnsafeRawBufferPointer) -> Void) {
        descriptor = -1
        name = "memory"
        self.taker = taker
        capacity = Self.blockSize
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Creates an output that stays in memory, with room for some bytes.
    init(capacity: Int = 256) {
        descriptor = -1
        name = "memory"
        taker = nil
        self.capacity = capacity
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// The number of all bytes appended so far.
    var total: UInt64 { writtenCount + UInt64(count) }

    /// The bytes that are in memory.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    /// Returns the text in memory and forgets it.
    func takeText() -> String {
        defer { count = 0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Forgets the bytes that are in memory.
    func clear() { count = 0 }

    // MARK: Appending

    @inline(__always)
    func append(_ byte: UInt8) {
        if count == capacity { makeRoom(1) }
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        if bytes.count > capacity &- count { makeRoom(bytes.count) }
        (memory + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    @inline(__always)
    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    func append(decimal number: Int64) {
        if 20 > capacity &- count { makeRoom(20) }
        if number < 0 {
            memory.storeBytes(of: UInt8(ascii: "-"), toByteOffset: count, as: UInt8.self)
            count &+= 1
        }
        append(magnitude: number.magnitude, digits: Self.digits(of: number.magnitude))
    }

    /// Appends the last digits of a number, with leading zeros.
    @inline(__always)
    func append(magnitude number: UInt64, digits: Int) {
        if digits > capacity &- count { makeRoom(digits) }
        var rest = number
        var place = count &+ digits
        while place > count {
            place &-= 1
            let digit = UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            memory.storeBytes(of: digit &+ 0x30, toByteOffset: place, as: UInt8.self)
        }
        count &+= digits
    }

    private static func digits(of number: UInt64) -> Int {
        var digits = 1
        var power: UInt64 = 10
        while number >= power {
            digits &+= 1
            if digits == 20 { break }
            power &*= 10
        }
        return digits
    }

    /// Memory for at most some bytes, which ``didWrite(_:)`` appends once they are there.
    @inline(__always)
    func room(_ byteCount: Int) -> UnsafeMutableRawPointer {
        if byteCount > capacity &- count { makeRoom(byteCount) }
        return memory + count
    }

    @inline(__always)
    func didWrite(_ byteCount: Int) { count &+= byteCount }

    // MARK: Writing

    @inline(never)
    private func makeRoom(_ byteCount: Int) {
        if descriptor >= 0 || taker != nil { flush() }
        guard capacity - count < byteCount else { return }
        let larger = max(capacity * 2, count + byteCount)
        let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        copy.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = copy
        capacity = larger
    }

    /// Passes all bytes to the kernel, or to who takes them.
    func flush() {
        if let taker { taker(bytes) } else { pass(bytes) }
        count = 0
    }

    /// Passes all bytes to the kernel, and then those of another output, which forgets them.
    func flush(with other: ByteOutput) {
        flush()
        pass(other.bytes)
        other.clear()
    }

    private func pass(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while failure == nil, start < bytes.count {
            let written = write(descriptor, bytes.baseAddress! + start, bytes.count - start)
            if written >= 0 {
                start += written
            } else if errno == EPIPE {
                failure = ToolError(.interrupted(SIGPIPE), "'\(name)' was closed by its reader.")
            } else if errno != EINTR {
                failure = ToolError(
                    .internalError,
                    "'\(name)' cannot be written: \(String(cString: strerror(errno))).")
            }
        }
        writtenCount += UInt64(bytes.count)
    }

    /// Throws why bytes could not be written.
    func check() throws(ToolError) {
        if let failure { throw failure }
    }

    /// Writes what is left.
    func finish() throws(ToolError) {
        flush()
        try check()
    }
}
