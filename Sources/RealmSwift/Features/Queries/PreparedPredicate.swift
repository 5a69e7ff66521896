import StorageEngine

/// A parsed predicate whose names are resolved in a class, with placeholders for its arguments.
/// Queries with the same text share it.
///
/// Checks that depend on the arguments happen when the arguments are inserted. After an error here,
/// the caller parses the text with its arguments from the beginning, so that messages and positions
/// are the same as without a prepared predicate.
///
/// It refers to classes of a Realm instance, whose columns do not change during the lifetime of
/// that instance, and to no objects. It is used only on the thread of that instance.
final class PreparedPredicate {
    private indirect enum Condition {
        /// A condition without placeholders.
        case complete(QueryCondition)
        case not(Condition)
        case and([Condition])
        case or([Condition])
        /// A comparison of a resolved key path with a constant that contains placeholders.
        case constant(PreparedComparison, OperandSyntax)
        /// A comparison that is resolved again for each query.
        case comparison(ComparisonSyntax)
    }

    private let resolver: PredicateResolver
    private let condition: Condition
    private let places: [ArgumentPlace]

    /// Parses a predicate and resolves its names.
    ///
    /// - Parameters:
    ///   - format: The text of the predicate.
    ///   - argumentCount: The number of arguments given. Arguments without a placeholder are
    ///     ignored.
    ///   - managedClass: The class of the tested objects.
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

    /// Returns whether the arguments can be inserted: there are enough, and those for `%d` are
    /// numbers.
    func accepts(_ arguments: [Any]) -> Bool {
        places.allSatisfy { place in
            place.position < arguments.count
                && (!place.isOfNumber
                    || PredicateLexer.isNumber(unwrapped(arguments[place.position])))
        }
    }

    /// Returns the condition for arguments that were accepted.
    ///
    /// - Throws: ``InvalidPredicate`` if they do not fit the key paths.
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

/// A placeholder for an argument in the syntax of a prepared predicate.
struct ArgumentPlace {
    let position: Int
    /// Whether the placeholder is `%d` or a similar one for numbers.
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
