import Foundation

extension RealmCollection {
    /// The objects that match a predicate.
    ///
    /// ```swift
    /// let predicate = NSPredicate(format: "color == %@ AND name BEGINSWITH %@", "tan", "B")
    /// let tanDogs = dogs.filter(predicate)
    /// ```
    /// A predicate that was made from a closure, does not suit the class, or is nested more than
    /// 200 times, stops the program. See ``filter(_:_:)``.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        attempt {
            let syntax = try PredicateSyntax(predicate)
            return try _filtered(syntax, format: "\(syntax)")
        }
    }

    /// The position of the first object that matches a predicate; nil if none does. See
    /// ``filter(_:)-(NSPredicate)``.
    public func index(matching predicate: NSPredicate) -> Int? {
        attempt {
            let syntax = try PredicateSyntax(predicate)
            return try _index(matching: syntax, format: "\(syntax)")
        }
    }

    /// The objects that match one of Swift's predicates.
    ///
    /// ```swift
    /// let busy = try people.filter(#Predicate { $0.age > 30 && $0.dogs.contains { $0.isWild } })
    /// ```
    /// The predicate is translated, not evaluated: so it may consist of comparisons of properties
    /// with values and with each other, `&&`, `||`, `!`, `?:`, optional chaining, `if let`, `??`
    /// before a value, `starts(with:)` and `contains(_:)` of strings, `contains` of ranges, arrays
    /// and collections of values, `contains(where:)`, `allSatisfy(_:)` and `filter(_:)` of
    /// collections of objects, `isEmpty`, and `count`, `min()` and `max()` of collections. Strings
    /// are compared byte by byte.
    ///
    /// - Throws: An error that says which part of the predicate is not supported.
    public func filter(_ predicate: Predicate<Element>) throws -> Results<Element> {
        try _filtered(PredicateTranslator.translate(predicate), format: "")
    }

    /// The position of the first object that matches one of Swift's predicates; nil if none does.
    /// See ``filter(_:)-(Predicate<Element>)``.
    ///
    /// - Throws: An error that says which part of the predicate is not supported.
    public func index(matching predicate: Predicate<Element>) throws -> Int? {
        try _index(matching: PredicateTranslator.translate(predicate), format: "")
    }
}

extension RealmKeyedCollection {
    /// The values that match a predicate: see ``RealmCollection/filter(_:)-(NSPredicate)``. Keys
    /// without an object are left out.
    public func filter(_ predicate: NSPredicate) -> Results<Value> {
        attempt {
            let syntax = try PredicateSyntax(predicate)
            return try _filtered(syntax, format: "\(syntax)")
        }
    }
}
