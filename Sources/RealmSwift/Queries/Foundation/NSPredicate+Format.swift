import Foundation

/// Gives `NSPredicate` the initialisers that Foundation has on other platforms only.
///
/// A protocol, because an initialiser of a protocol can make an object of a subclass. Foundation
/// declares the same ones, but as unavailable, so that the compiler takes these.
public protocol _FormatInitializable {}

extension NSPredicate: _FormatInitializable {}

extension _FormatInitializable {
    /// Reads a predicate string, for the `filter` of collections.
    ///
    /// ```swift
    /// let predicate = NSPredicate(format: "color = %@ AND name BEGINSWITH %@", "tan", "B")
    /// let tanDogs = realm.objects(Dog.self).filter(predicate)
    /// ```
    /// The arguments take the places of `%@`, `%K`, `%d` and the like. A string that is no
    /// predicate stops the program. Two predicates are equal if they say the same of the same
    /// values, however they are written: spaces, parentheses and spellings of operators make no
    /// difference, nor whether a value is an argument. Such a predicate cannot be evaluated with an
    /// object.
    public init(format: String, _ arguments: Any?...) {
        self = FormatPredicate.make(format, arguments)
    }

    /// Reads a predicate string, for the `filter` of collections; see ``init(format:_:)``.
    public init(format: String, argumentArray: [Any]?) {
        self = FormatPredicate.make(format, argumentArray ?? [])
    }
}

/// A predicate that was made from a string.
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
        // What Foundation compares others with: predicates of closures are equal to none.
        if case .constant(let value) = syntax {
            super.init(value: value)
        } else {
            super.init { _, _ in false }
        }
    }

    /// Archives are not supported.
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
