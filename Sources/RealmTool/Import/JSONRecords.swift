import Glibc
import ToolSupport

/// The lines of JSON lines that are not empty, one after another.
final class JSONRecords {
    private let input: InputBuffer
    /// The number of the record's line, counted from 1.
    private(set) var line = 0
    private var length = 0
    private var lengthWithLineBreak = 0

    init(_ input: InputBuffer) { self.input = input }

    /// The bytes of the record. Valid until the next one.
    var record: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: input.rest[..<length])
    }

    /// Moves to the next record. Returns false after the last one.
    func next() throws -> Bool {
        repeat {
            guard try nextLine() else { return false }
        } while record.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
        return true
    }

    private func nextLine() throws -> Bool {
        input.advance(by: lengthWithLineBreak)
        length = 0
        lengthWithLineBreak = 0
        line += 1
        var scanned = 0
        while true {
            let rest = input.rest
            if scanned < rest.count, let base = rest.baseAddress,
                let found = memchr(base + scanned, 0x0A, rest.count - scanned)
            {
                length = UnsafeRawPointer(found) - base
                lengthWithLineBreak = length + 1
                return true
            }
            scanned = rest.count
            guard scanned < InputBuffer.longestRecord else {
                throw DataProblem("A line has more than a gigabyte.", at: nil)
            }
            if try !input.readMore() {
                length = input.rest.count
                lengthWithLineBreak = length
                return length > 0
            }
        }
    }
}
