import Foundation

extension PredicateSyntax {
    /// Creates the predicate for a Foundation predicate.
    ///
    /// - Throws: ``InvalidPredicate`` unless the predicate was created from a string or a Boolean
    ///   value, or consists of such predicates with limited nesting.
    init(_ predicate: NSPredicate) throws { try self.init(predicate, depth: 0) }

    private init(_ predicate: NSPredicate, depth: Int) throws {
        switch predicate {
        case let predicate as FormatPredicate: self = predicate.syntax
        case let predicate as NSCompoundPredicate:
            if depth == Self.maximumDepth {
                throw InvalidPredicate(message: Self.tooDeep, format: "", position: 0)
            }
            let parts = try Self.operands(of: predicate).map {
                try PredicateSyntax($0, depth: depth + 1)
            }
            switch predicate.compoundPredicateType {
            case .and: self = .and(parts)
            case .or: self = .or(parts)
            case .not: self = .not(.and(parts))
            }
        case _ where predicate == NSPredicate(value: true): self = .constant(true)
        case _ where predicate == NSPredicate(value: false): self = .constant(false)
        default:
            throw InvalidPredicate(
                message: "Only support compound, comparison, and constant predicates",
                format: "\(predicate)", position: 0)
        }
    }

    /// Returns the predicates of a chain of the same operator, in their order. A chain that was
    /// built from left to right is nested in its first predicate.
    private static func operands(of predicate: NSCompoundPredicate) -> [NSPredicate] {
        let type = predicate.compoundPredicateType
        if type == .not { return predicate.parts }
        var tails: [ArraySlice<NSPredicate>] = []
        var first: NSPredicate = predicate
        while let compound = first as? NSCompoundPredicate,
            compound.compoundPredicateType == type, let next = compound.parts.first
        {
            tails.append(compound.parts.dropFirst())
            first = next
        }
        return [first] + tails.reversed().joined()
    }
}

extension NSCompoundPredicate {
    fileprivate var parts: [NSPredicate] { subpredicates.map { $0 } }
}
