import StorageEngine

/// A predicate text that has been read, and whose names have been found in a class, with places for
/// its arguments: what queries of the same text have in common.
///
/// Whatever depends on the arguments is checked when they take their places. Whoever meets an error
/// here reads the text with its arguments from the beginning: so messages and positions are the same
/// as without a prepared predicate.
///
/// It refers to classes of a Realm instance, which keep their columns for as long as that lives, and
/// to no objects. Used by the thread of that instance.
final class PreparedPredicate {
    private indirect enum Condition {
        /// Without places.
        case complete(QueryCondition)
        case not(Condition)
        case and([Condition])
        case or([Condition])
        /// A key path, which has been found, with the constant that takes its place.
        case constant(PreparedComparison, OperandSyntax)
        /// What is resolved anew each time.
        case comparison(ComparisonSyntax)
    }

    private let resolver: PredicateResolver
    private let condition: Condition
    private let places: [ArgumentPlace]

    /// - Parameter argumentCount: as many as are given; those that have no place are left out.
    /// - Throws: ``InvalidPredicate``, also for a text whose key paths are arguments.
    init(_ format: String, argumentCount: Int, in managedClass: ManagedClass) throws {
        let places = (0..<argumentCount).map { ArgumentPlace(position: $0) }
        let syntax = try PredicateParser.parse(format, places)
        resolver = PredicateResolver(managedClass: managedClass, format: format)
        condition = try Self.prepare(syntax, resolver)
        var used: [ArgumentPlace] = []
        syntax.forEachPlace { used.append($0) }
        self.places = used
    }

    private static func prepare(
        _ syntax: PredicateSyntax, _ resolver: PredicateResolver
    ) throws -> Condition {
        switch syntax {
        case .constant(let value): return .complete(.constant(value))
        case .not(let operand): return .not(try prepare(operand, resolver))
        case .and(let operands): return .and(try operands.map { try prepare($0, resolver) })
        case .or(let operands): return .or(try operands.map { try prepare($0, resolver) })
        case .comparison(let comparison):
            if comparison.qualifier == ComparisonSyntax.Qualifier.none {
                var positive = comparison
                positive.qualifier = .any
                return .not(try prepare(.comparison(positive), resolver))
            }
            var hasPlaces = false
            syntax.forEachPlace { _ in hasPlaces = true }
            if !hasPlaces { return .complete(try resolver.condition(syntax)) }
            if let resolution = try resolver.constantResolution(comparison) {
                return .constant(PreparedComparison(resolution), resolution.constant)
            }
            return .comparison(comparison)
        }
    }

    /// Whether the arguments can take the places of the text: there are enough, and `%d` gets
    /// numbers.
    func accepts(_ arguments: [Any]) -> Bool {
        places.allSatisfy { place in
            place.position < arguments.count
                && (!place.isOfNumber
                    || PredicateLexer.isNumber(unwrapped(arguments[place.position])))
        }
    }

    /// The condition with arguments that it accepts.
    ///
    /// - Throws: ``InvalidPredicate`` if they do not suit the key paths.
    func condition(_ arguments: [Any]) throws -> QueryCondition {
        try condition(condition, arguments)
    }

    private func condition(_ part: Condition, _ arguments: [Any]) throws -> QueryCondition {
        switch part {
        case .complete(let condition): return condition
        case .not(let operand): return .not(try condition(operand, arguments))
        case .and(let operands): return .and(try operands.map { try condition($0, arguments) })
        case .or(let operands): return .or(try operands.map { try condition($0, arguments) })
        case .constant(let comparison, let constant):
            return try comparison.condition(constant.filled(with: arguments))
        case .comparison(let comparison):
            return try resolver.condition(.comparison(comparison.filled(with: arguments)))
        }
    }
}

/// Stands for an argument in the syntax of a prepared predicate.
struct ArgumentPlace {
    let position: Int
    /// Whether it is that of `%d` or the like.
    var isOfNumber = false

    static func fill(_ value: Any?, with arguments: [Any]) -> Any? {
        guard let value, type(of: value) == ArgumentPlace.self, let place = value as? ArgumentPlace
        else { return value }
        return unwrapped(arguments[place.position])
    }
}

// MARK: - Places in syntax

extension PredicateSyntax {
    fileprivate func forEachPlace(_ body: (ArgumentPlace) -> Void) {
        switch self {
        case .constant: break
        case .not(let operand): operand.forEachPlace(body)
        case .and(let operands), .or(let operands):
            for operand in operands { operand.forEachPlace(body) }
        case .comparison(let comparison):
            comparison.left.forEachPlace(body)
            comparison.right.forEachPlace(body)
        }
    }

    fileprivate func filled(with arguments: [Any]) -> PredicateSyntax {
        switch self {
        case .constant: return self
        case .not(let operand): return .not(operand.filled(with: arguments))
        case .and(let operands): return .and(operands.map { $0.filled(with: arguments) })
        case .or(let operands): return .or(operands.map { $0.filled(with: arguments) })
        case .comparison(let comparison): return .comparison(comparison.filled(with: arguments))
        }
    }
}

extension ComparisonSyntax {
    fileprivate func filled(with arguments: [Any]) -> ComparisonSyntax {
        var comparison = self
        comparison.left = left.filled(with: arguments)
        comparison.right = right.filled(with: arguments)
        return comparison
    }
}

extension OperandSyntax {
    fileprivate func forEachPlace(_ body: (ArgumentPlace) -> Void) {
        switch self {
        case .keyPath: break
        case .value(let value): if let place = value as? ArgumentPlace { body(place) }
        case .list(let elements):
            for case let place as ArgumentPlace in elements { body(place) }
        case .subquery(let subquery): subquery.predicate.forEachPlace(body)
        }
    }

    fileprivate func filled(with arguments: [Any]) -> OperandSyntax {
        switch self {
        case .keyPath: return self
        case .value(let value): return .value(ArgumentPlace.fill(value, with: arguments))
        case .list(let elements):
            return .list(elements.map { ArgumentPlace.fill($0, with: arguments) })
        case .subquery(var subquery):
            subquery.predicate = subquery.predicate.filled(with: arguments)
            return .subquery(subquery)
        }
    }
}
