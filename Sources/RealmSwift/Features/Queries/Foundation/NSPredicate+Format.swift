import Foundation

/// A protocol that adds to `NSPredicate` the initializers that Foundation has only on other
/// platforms.
///
/// A protocol is used because its initializers can create an object of a subclass. Foundation
/// declares the same initializers as unavailable, so the compiler selects these.
public protocol _FormatInitializable {}

extension NSPredicate: _FormatInitializable {}

extension _FormatInitializable {
    /// Creates a predicate from a predicate string, for the `filter` method of collections.
    ///
    /// ```swift
    /// let predicate = NSPredicate(format: "color = %@ AND name BEGINSWITH %@", "tan", "B")
    /// let tanDogs = realm.objects(Dog.self).filter(predicate)
    /// ```
    /// The arguments replace `%@`, `%K`, `%d` and similar placeholders. Two predicates are equal if
    /// they have the same meaning. Spaces, parentheses, spellings of operators, and the use of
    /// arguments instead of literals make no difference. The predicate cannot be evaluated with an
    /// object.
    ///
    /// - Precondition: The string is a valid predicate.
    public init(format: String, _ arguments: Any?...) {
        self = FormatPredicate.make(format, arguments)
    }

    /// Creates a predicate from a predicate string; see ``init(format:_:)``.
    public init(format: String, argumentArray: [Any]?) {
        self = FormatPredicate.make(format, argumentArray ?? [])
    }
}

/// A predicate that was created from a string.
final class FormatPredicate: NSPredicate {
    let syntax: PredicateSyntax

    fileprivate static func make<Predicate>(_ format: String, _ arguments: [Any?]) -> Predicate {
        guard let predicate = FormatPredicate(format, arguments) as? Predicate else {
            stop("A predicate string makes an NSPredicate, not one of '\(Predicate.self)'.")
        }
        return predicate
    }

    private init(_ format: String, _ arguments: [Any?]) {
        do {
            syntax = try PredicateParser.parse(format, arguments.map(unwrapped))
        } catch {
            stop("\(error)")
        }
        // Foundation compares these values with other predicates. Predicates of closures never
        // equal others.
        if case .constant(let value) = syntax {
            super.init(value: value)
        } else {
            super.init { _, _ in false }
        }
    }

    /// Returns nil, because archives are not supported.
    required init?(coder: NSCoder) { nil }

    /// The predicate with its arguments as literals.
    override var predicateFormat: String { syntax.description }
    override var description: String { syntax.description }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func evaluate(
        with object: Any?, substitutionVariables bindings: [String: Any]?
    ) -> Bool {
        stop("A predicate with a format can filter collections of a Realm only.")
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? FormatPredicate else { return super.isEqual(object) }
        return syntax.isSame(as: other.syntax)
    }

    override var hash: Int {
        if case .constant(let value) = syntax { return NSPredicate(value: value).hash }
        var hasher = Hasher()
        syntax.hashForm(into: &hasher)
        return hasher.finalize()
    }
}
