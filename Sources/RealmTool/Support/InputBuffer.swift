import Glibc
import ToolSupport

/// The bytes of a file or pipe, read in blocks. The record that is being read is always in memory
/// as a whole.
final class InputBuffer {
    private static let blockSize = 1 << 20
    /// No record is longer. Values have up to 16 MiB.
    static let longestRecord = 1 << 30

    /// The milliseconds that a signal may have to wait, if it comes just before the waiting begins.
    private static let patience: Int32 = 200

    /// The name of the input in messages.
    let name: String
    /// The size of a file; nil for a pipe.
    let size: UInt64?
    /// The number of bytes before the record.
    private(set) var position: UInt64 = 0
    /// -1 for bytes in memory.
    private let descriptor: Int32
    @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var start = 0
    @exclusivity(unchecked) private var end = 0
    private var isAtEnd = false

    /// - Parameter path: `-` for standard input.
    convenience init(_ path: String) throws(ToolError) {
        if path == "-" {
            try self.init(descriptor: STDIN_FILENO, name: "standard input")
            return
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolError(
                .usage, "'\(path)' cannot be read: \(String(cString: strerror(errno))).")
        }
        try self.init(descriptor: descriptor, name: path)
    }

    /// Creates an input of an open file, which is closed with it unless it is standard input.
    init(descriptor: Int32, name: String) throws(ToolError) {
        self.descriptor = descriptor
        self.name = name
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        if isKnown, status.st_mode & S_IFMT == S_IFDIR {
            if descriptor != STDIN_FILENO { close(descriptor) }
            throw ToolError(.usage, "'\(name)' cannot be read: it is a directory.")
        }
        let isRegular = isKnown && status.st_mode & S_IFMT == S_IFREG
        size = isRegular ? UInt64(status.st_size) : nil
        capacity = Self.blockSize
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Creates an input of bytes in memory.
    init(_ bytes: UnsafeRawBufferPointer, name: String) {
        self.name = name
        size = UInt64(bytes.count)
        descriptor = -1
        capacity = max(1, bytes.count)
        memory = .allocate(byteCount: capacity, alignment: 16)
        UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyMemory(from: bytes)
        end = bytes.count
        isAtEnd = true
    }

    /// Returns all bytes of a small file or pipe; nil if it cannot be read.
    static func contents(of path: String) -> [UInt8]? {
        guard path != "-", let input = try? InputBuffer(path) else { return nil }
        do { while try input.readMore() {} } catch { return nil }
        return Array(input.rest)
    }

    deinit {
        memory.deallocate()
        if descriptor > STDIN_FILENO { close(descriptor) }
    }

    /// The bytes from the beginning of the record on, as far as they have been read. Valid until
    /// the next call.
    var rest: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + start, count: end - start)
    }

    /// Ends the record after some bytes.
    func advance(by count: Int) {
        start += count
        position += UInt64(count)
    }

    /// Reads more bytes of the record. Returns false if there are none.
    func readMore() throws(ToolError) -> Bool {
        if isAtEnd { return false }
        if start > 0 {
            memory.copyMemory(from: memory + start, byteCount: end - start)
            end -= start
            start = 0
        }
        if end == capacity { grow() }
        while true {
            try waitForBytes()
            let count = read(descriptor, memory + end, capacity - end)
            if count > 0 {
                end += count
                return true
            }
            if count == 0 {
                isAtEnd = true
                return false
            }
            if errno == EINTR { continue }
            throw ToolError(
                .internalError, "'\(name)' cannot be read: \(String(cString: strerror(errno))).")
        }
    }

    /// Waits until there is something to read. A signal ends the waiting here, while it would only
    /// interrupt reading.
    private func waitForBytes() throws(ToolError) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat { try Interrupted.check() } while poll(&request, 1, Self.patience) <= 0
    }

    private func grow() {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * 2, alignment: 16)
        larger.copyMemory(from: memory, byteCount: end)
        memory.deallocate()
        memory = larger
        capacity *= 2
    }
}
