import CColumnKernels
import Glibc
import ToolSupport

@testable import StorageEngine

/// Memory that is followed by inaccessible memory.
final class GuardedMemory {
    private let start: UnsafeMutableRawPointer
    private let byteCount: Int
    /// The end of the memory. The bytes after it are not accessible.
    let end: UnsafeMutableRawPointer

    init(byteCount: Int) {
        let page = 4096
        self.byteCount = (byteCount + page - 1) / page * page + page
        start = mmap(
            nil, self.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        precondition(start != MAP_FAILED)
        end = start + self.byteCount - page
        precondition(mprotect(end, page, PROT_NONE) == 0)
    }

    deinit { munmap(start, byteCount) }

    /// Copies bytes to the end of the memory.
    func place(_ bytes: [UInt8]) -> UnsafeMutableRawPointer {
        let place = end - bytes.count
        place.copyMemory(from: bytes, byteCount: bytes.count)
        return place
    }
}

/// A packed column at the end of its memory, and its contents.
struct PackedColumnModel {
    var width: Int
    var deltas: [UInt64]
    /// The nulls; nil if the column has no bitmap.
    var nulls: [Bool]?

    init(width: Int, rows: Int, nullsOneIn: Int?, random: inout SeededGenerator) {
        self.width = width
        let largest = width == 64 ? UInt64.max : (1 << UInt64(width)) - 1
        deltas = (0..<rows).map { _ in
            switch random.next(below: 8) {
            case 0: return 0
            case 1: return largest
            case 2: return largest / 2
            case 3: return largest / 2 + 1
            default: return random.next() & largest
            }
        }
        nulls = nullsOneIn.map { n in (0..<rows).map { _ in random.next(below: n) == 0 } }
    }

    var rows: Int { deltas.count }

    func isPresent(_ row: Int, _ selection: [Bool]?) -> Bool {
        nulls?[row] != true && selection?[row] != false
    }

    /// The bytes of the data region. Those after the last row are not zero.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0xFF, count: (rows * width + 63) / 64 * 8)
        bytes.withUnsafeMutableBytes { data in
            for row in 0..<rows {
                PackedNumbers.store(data.baseAddress!, row, width: width, delta: deltas[row])
            }
        }
        return bytes
    }

    static func words(_ bits: [Bool], behind: Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: behind ? 0xFF : 0, count: (bits.count + 63) / 64 * 8)
        for (row, bit) in bits.enumerated() {
            bytes[row / 8] &= ~(1 << UInt8(row % 8))
            if bit { bytes[row / 8] |= 1 << UInt8(row % 8) }
        }
        return bytes
    }
}

/// The members of a mask whose words were read from memory.
func members(_ words: UnsafePointer<UInt64>, rows: Int) -> [Int] {
    (0..<(rows + 63) / 64 * 64).filter { words[$0 / 64] >> UInt64($0 % 64) & 1 != 0 }
}

extension RowMask {
    borrowing func members() -> [Int] {
        var members: [Int] = []
        forEachRow { members.append($0) }
        return members
    }
}
