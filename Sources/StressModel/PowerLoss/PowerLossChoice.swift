/// The pending pieces that a power loss leaves on the disk.
package enum PowerLossChoice: Equatable, Sendable {
    case nothing
    case everything
    case allBut(Int)
    case only(Int)
    /// The pieces whose bits are set. Pages are split into `pageParts` parts.
    case subset(UInt64, pageParts: Int)
    /// Drawn from a seed: whether pages are torn, how many pieces are missing, and which.
    case sample(seed: UInt64)
}

extension PowerLossChoice: LosslessStringConvertible {
    package var description: String {
        switch self {
        case .nothing: "nothing"
        case .everything: "everything"
        case .allBut(let piece): "all-but:\(piece)"
        case .only(let piece): "only:\(piece)"
        case .subset(let pieces, let parts): "subset:\(pieces):\(parts)"
        case .sample(let seed): "sample:\(seed)"
        }
    }

    package init?(_ text: String) {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = fields.dropFirst().map { UInt64($0) }
        switch (fields[0], numbers.count) {
        case ("nothing", 0): self = .nothing
        case ("everything", 0): self = .everything
        case ("all-but", 1):
            guard let piece = numbers[0].flatMap({ Int(exactly: $0) }) else { return nil }
            self = .allBut(piece)
        case ("only", 1):
            guard let piece = numbers[0].flatMap({ Int(exactly: $0) }) else { return nil }
            self = .only(piece)
        case ("subset", 2):
            guard let pieces = numbers[0], let parts = numbers[1], parts == 1 || parts == 8 else {
                return nil
            }
            self = .subset(pieces, pageParts: Int(parts))
        case ("sample", 1):
            guard let seed = numbers[0] else { return nil }
            self = .sample(seed: seed)
        default: return nil
        }
    }
}
