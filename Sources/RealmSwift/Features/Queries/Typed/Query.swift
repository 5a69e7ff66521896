/// A condition, or a part of one, whose types Swift checks at compile time.
///
/// ```swift
/// let tanDogs = realm.objects(Dog.self).where {
///     $0.color == "tan" && $0.name.starts(with: "B", options: .caseInsensitive)
/// }
/// let families = realm.objects(Person.self).where {
///     $0.dogs.age.avg > 3 && ($0.dogs.age > 10).count == 1
/// }
/// ```
/// The closure of `where` is called once, with a query that represents each object. The properties
/// of a query are queries, and operators and methods on queries return queries. A `Query<Bool>` is
/// a condition. Each form has the meaning of a form in predicate strings:
///
/// | Swift | predicate string |
/// | --- | --- |
/// | `$0.age > 5`, `$0.link == nil` | `age > 5`, `link == nil` |
/// | `$0.isDone`, `!$0.isDone` | `isDone == true`, `isDone == false` |
/// | `$0.owner.name == "Ann"` | `owner.name == 'Ann'` |
/// | `$0.age.contains(1..<3)` | `age >= 1 AND age < 3` |
/// | `$0.age.contains(1...3)` | `age BETWEEN {1, 3}` |
/// | `$0.age.in([1, 3])` | `age IN {1, 3}` |
/// | `$0.dogs.name == "Rex"` | `ANY dogs.name == 'Rex'` |
/// | `$0.scores.contains(5)` | `5 IN scores` |
/// | `$0.scores.containsAny(in: [5, 6])` | `ANY scores IN {5, 6}` |
/// | `$0.scores > 5` | `ANY scores > 5` |
/// | `$0.dogs.count`, `$0.scores.max` | `dogs.@count`, `scores.@max` |
/// | `$0.dogs.age.sum` | `dogs.@sum.age` |
/// | `($0.dogs.age > 3).count` | `SUBQUERY(dogs, $dog, $dog.age > 3).@count` |
/// | `$0.map["key"]` | `map['key']` |
/// | `$0.map.keys`, `$0.map.values` | `ANY map.@allKeys`, `ANY map.@allValues` |
/// | `$0.any["key"][0].any` | `any['key'][0][#any]` |
///
/// Combining queries in a way that no predicate supports, such as comparing two collections, stops
/// the program. Nesting conditions more than 200 levels deep also stops the program. A chain of
/// `&&` or of `||` from left to right is one level, whatever its length.
@dynamicMemberLookup
public struct Query<T> {
    let expression: TypedExpression
    /// The nesting depth of the conditions; 0 for a path. A chain of the same operator is one
    /// level, whatever its length.
    let conditionDepth: Int

    // Inlined, because a call from generic code first looks up the metadata of the type.

    @inline(__always)
    init(_ expression: TypedExpression, depth: Int) {
        if depth > PredicateSyntax.maximumDepth { stop(PredicateSyntax.tooDeep) }
        self.expression = expression
        conditionDepth = depth
    }

    @inline(__always)
    init(_ path: TypedPath) {
        expression = .path(path)
        conditionDepth = 0
    }

    /// Creates the query that represents each object or each element.
    @inline(__always)
    init() { self.init(TypedPath()) }

    /// Returns the query that represents each object, for tests of applications.
    public static func _constructForTesting() -> Query<T> { Query() }

    /// Returns the predicate string of the condition and its arguments. Nil is replaced by
    /// `NSNull`.
    public func _constructPredicate() -> (String, [Any]) {
        let format = TypedFormat(expression.namingSubqueries())
        return (format.text, format.arguments)
    }
}

extension Query where T == Bool {
    /// The condition as a predicate.
    var predicate: PredicateSyntax { expression.namingSubqueries().predicate }
}

// MARK: Properties

extension Query {
    /// The path of the query. Only a condition or a number has none.
    var path: TypedPath {
        guard let path = expression.path else {
            preconditionFailure("The query does not stand for a property.")
        }
        return path
    }

    private func property<Root: _KeyPathRoot, V>(_ keyPath: KeyPath<Root, V>) -> Query<V> {
        if path.hasMapSubscript { stop("Cannot apply key path to Map subscripts.") }
        // Int and String are tested first, because checking a conformance costs more than
        // everything else here.
        let isCollection =
            V.self != Int.self && V.self != String.self
            && V.self is any AggregatableCollection.Type
        return Query<V>(path.appending(_name(for: keyPath), isCollection: isCollection))
    }
}

extension Query where T: _KeyPathRoot {
    /// A property of the object. For a projection, the property of its object at the end of the key
    /// path.
    public subscript<V>(dynamicMember member: KeyPath<T, V>) -> Query<V> { property(member) }
}

extension Query where T: OptionalProtocol, T.Wrapped: _KeyPathRoot {
    /// A property of a linked object. If the link is nil, every comparison with the property is
    /// false, except a comparison with nil.
    public subscript<V>(dynamicMember member: KeyPath<T.Wrapped, V>) -> Query<V> {
        property(member)
    }
}

extension Query where T: RealmCollection, T.Element: _KeyPathRoot {
    /// A property of the objects in a collection. A comparison holds if any object satisfies it.
    public subscript<V>(dynamicMember member: KeyPath<T.Element, V>) -> Query<V> {
        property(member)
    }
}

extension Query
where T: RealmCollection, T.Element: OptionalProtocol, T.Element.Wrapped: _KeyPathRoot {
    /// A property of the objects in a collection. A comparison holds if any object satisfies it.
    public subscript<V>(dynamicMember member: KeyPath<T.Element.Wrapped, V>) -> Query<V> {
        property(member)
    }
}
