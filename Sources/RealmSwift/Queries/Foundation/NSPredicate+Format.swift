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
    /// predicate stops the program. Two predicates are equal if their strings and arguments are.
    /// Such a predicate cannot be evaluated with an object.
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
    private let format: String
    private let arguments: [Any?]

    fileprivate static func make<Predicate>(_ format: String, _ arguments: [Any?]) -> Predicate {
        guard let predicate = FormatPredicate(format, arguments) as? Predicate else {
            stop("A predicate string makes an NSPredicate, not one of '\(Predicate.self)'.")
        }
        return predicate
    }

    private init(_ format: String, _ arguments: [Any?]) {
        self.format = format
        self.arguments = arguments.map(unwrapped)
        do {
            syntax = try PredicateParser.parse(format, self.arguments)
        } catch {
            stop("\(error)")
        }
        super.init(value: true)
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
        guard let other = object as? FormatPredicate else { return false }
        return format == other.format && arguments.count == other.arguments.count
            && zip(arguments, other.arguments).allSatisfy(Self.areEqual)
    }

    override var hash: Int { format.hashValue }

    private static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        switch (left, right) {
        case (nil, nil): return true
        case (let left as [Any], let right as [Any]):
            return left.count == right.count && zip(left, right).allSatisfy(areEqual)
        case (let left as AnyHashable, let right as AnyHashable): return left == right
        default: return false
        }
    }
}
