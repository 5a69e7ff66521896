/// Damage to the bytes of a file that no process has open.
package enum FileDamage: Equatable, Sendable {
    /// The byte at this position changes in the bits of the mask.
    case flip(Int, mask: UInt8)
    /// The file ends after this many bytes.
    case cut(Int)
    /// One block gets the contents of another.
    case copy(from: Int, to: Int)
    /// A block gets the contents that it had some transactions earlier.
    case older(Int)
    /// A block is filled with zeros.
    case zero(Int)
    /// All blocks are filled with zeros.
    case zeros

    package static let blockSize = 4096

    /// Returns the damaged file.
    ///
    /// - Parameter earlier: the same file some transactions earlier.
    package func applied(to bytes: [UInt8], earlier: [UInt8]) -> [UInt8] {
        var damaged = bytes
        func replace(_ block: Int, with source: [UInt8], _ from: Int) {
            let range = Self.range(block, bytes)
            let start = from * Self.blockSize
            damaged.replaceSubrange(range, with: source[start..<start + range.count])
        }
        switch self {
        case .flip(let position, let mask): damaged[position] ^= mask
        case .cut(let length): damaged.removeLast(bytes.count - length)
        case .copy(let from, let to): replace(to, with: bytes, from)
        case .older(let block): replace(block, with: earlier, block)
        case .zero(let block):
            replace(block, with: [UInt8](repeating: 0, count: bytes.count), block)
        case .zeros: damaged = [UInt8](repeating: 0, count: bytes.count)
        }
        return damaged
    }

    /// Whether the file has the place that the damage names.
    package func isPossible(in bytes: [UInt8], earlier: [UInt8]) -> Bool {
        let blocks = 0..<bytes.count / Self.blockSize
        return switch self {
        case .flip(let position, let mask): bytes.indices.contains(position) && mask != 0
        case .cut(let length): length >= 0 && length < bytes.count
        case .copy(let from, let to): blocks.contains(from) && blocks.contains(to)
        case .older(let block):
            blocks.contains(block) && (block + 1) * Self.blockSize <= earlier.count
        case .zero(let block): blocks.contains(block)
        case .zeros: true
        }
    }

    private static func range(_ block: Int, _ bytes: [UInt8]) -> Range<Int> {
        block * blockSize..<min((block + 1) * blockSize, bytes.count)
    }
}

extension FileDamage: LosslessStringConvertible {
    package var description: String {
        switch self {
        case .flip(let position, let mask): "flip:\(position):\(mask)"
        case .cut(let length): "cut:\(length)"
        case .copy(let from, let to): "copy:\(from):\(to)"
        case .older(let block): "older:\(block)"
        case .zero(let block): "zero:\(block)"
        case .zeros: "zeros"
        }
    }

    package init?(_ text: String) {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = fields.dropFirst().map { Int($0) ?? -1 }
        guard numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        switch (fields[0], numbers.count) {
        case ("flip", 2):
            guard let mask = UInt8(exactly: numbers[1]) else { return nil }
            self = .flip(numbers[0], mask: mask)
        case ("cut", 1): self = .cut(numbers[0])
        case ("copy", 2): self = .copy(from: numbers[0], to: numbers[1])
        case ("older", 1): self = .older(numbers[0])
        case ("zero", 1): self = .zero(numbers[0])
        case ("zeros", 0): self = .zeros
        default: return nil
        }
    }
}
