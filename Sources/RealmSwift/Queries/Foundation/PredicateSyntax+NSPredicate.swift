import Foundation

extension PredicateSyntax {
    /// What one of Foundation's predicates says.
    ///
    /// - Throws: ``InvalidPredicate`` unless it was made from a string or a truth value, or consists
    ///   of such predicates.
    init(_ predicate: NSPredicate) throws {
        switch predicate {
        case let predicate as FormatPredicate: self = predicate.syntax
        case let predicate as NSCompoundPredicate: self = try Self.compound(predicate)
        case _ where predicate == NSPredicate(value: true): self = .constant(true)
        case _ where predicate == NSPredicate(value: false): self = .constant(false)
        default:
            throw InvalidPredicate(
                message: "Only support compound, comparison, and constant predicates",
                format: "\(predicate)", position: 0)
        }
    }

    private static func compound(_ predicate: NSCompoundPredicate) throws -> PredicateSyntax {
        let parts = try predicate.subpredicates.map { try PredicateSyntax($0) }
        switch predicate.compoundPredicateType {
        case .and: return .and(parts)
        case .or: return .or(parts)
        case .not: return .not(.and(parts))
        }
    }
}
