@testable import StressModel

/// The input of the fuzzer: one byte of options, then eight bytes for each step. Any bytes are an
/// input: numbers are taken modulo what exists, and bytes beyond the last whole step, or beyond the
/// largest number of steps, are ignored.
struct OperationInput {
    enum Step {
        /// A change in the open transaction, or in a new one if none is open.
        case change(StressOperation)
        case commit(isDurable: Bool)
        case rollBack
        /// Adds a reader of the newest version.
        case pin
        case unpin(Int)
        /// Closes all connections. The next step that needs the file opens it.
        case reopen
        case compact
        case copy
        case verify
    }

    let isEncrypted: Bool
    let pageSize: Int
    private(set) var steps: [Step] = []

    private static let stepBytes = 8
    private static let mostSteps = 160

    init(_ bytes: UnsafeRawBufferPointer) {
        let options = bytes.first ?? 0
        isEncrypted = options & 1 != 0
        pageSize = options & 2 != 0 ? 16_384 : 4096
        var offset = 1
        while offset + Self.stepBytes <= bytes.count, steps.count < Self.mostSteps {
            steps.append(
                Self.step(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + 8])))
            offset += Self.stepBytes
        }
    }

    private static func step(_ bytes: UnsafeRawBufferPointer) -> Step {
        switch bytes[0] % 32 {
        case 0, 1: return .commit(isDurable: true)
        case 2, 3, 4: return .commit(isDurable: false)
        case 5: return .rollBack
        case 6: return .pin
        case 7: return .unpin(Int(bytes[1]))
        case 8: return .reopen
        case 9: return .compact
        case 10: return .copy
        case 11: return .verify
        default: return .change(operation(bytes))
        }
    }

    /// Decodes an operation: the first byte selects it, the others are its arguments.
    private static func operation(_ bytes: UnsafeRawBufferPointer) -> StressOperation {
        let small = Int(bytes[1])
        let medium = Int(bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        let large = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        switch bytes[0] % 32 {
        case 12, 13: return .addAccounts(count: 1 + small, nameLength: medium % 3000)
        case 14, 15: return .setBalance(account: medium, Int64(Int32(truncatingIfNeeded: large)))
        case 16: return .setNote(account: medium, length: nil, fill: 0)
        case 17, 18:
            return .setNote(account: medium, length: large % 600, fill: UInt8(small))
        case 19, 20:
            return .setNote(account: medium, length: large % 300_000, fill: UInt8(small))
        case 21: return .setFriend(account: medium, friend: large)
        case 22, 23: return .record(account: medium, events: 1 + small, position: large)
        case 24:
            return .moveEvent(account: medium, from: small, to: large)
        case 25: return .mark(account: medium, Int64(large % 4096))
        case 26: return .unmark(account: medium, Int64(large % 4096))
        case 27: return .setFact(account: medium, name: small, Int64(large))
        case 28: return .removeFact(account: medium, name: small)
        case 29: return .deleteAccounts(first: medium, count: 1 + small)
        case 30: return .deleteEvents(first: medium, count: 1 + large % 4096)
        default: return .deleteAllAccounts
        }
    }
}
