import Foundation

extension AggregatableCollection {
    /// Returns the objects that match a predicate. See ``filter(_:_:)``.
    ///
    /// ```swift
    /// let predicate = NSPredicate(format: "color == %@ AND name BEGINSWITH %@", "tan", "B")
    /// let tanDogs = dogs.filter(predicate)
    /// ```
    /// - Precondition: The predicate was not created from a closure, is valid for the class, and is
    ///   not nested more than 200 levels deep.
    public func filter(_ predicate: NSPredicate) -> Results<AggregatedValue> {
        attempt {
            let syntax = try PredicateSyntax(predicate)
            return try _filtered(syntax, format: "\(syntax)")
        }
    }
}

extension RealmCollection {
    /// Returns the position of the first object that matches a predicate; nil if there is none. See
    /// ``AggregatableCollection/filter(_:)-(NSPredicate)``.
    public func index(matching predicate: NSPredicate) -> Int? {
        attempt {
            let syntax = try PredicateSyntax(predicate)
            return try _index(matching: syntax, format: "\(syntax)")
        }
    }

    /// Returns the objects that match a Swift predicate.
    ///
    /// ```swift
    /// let busy = try people.filter(#Predicate { $0.age > 30 && $0.dogs.contains { $0.isWild } })
    /// ```
    /// The predicate is translated, not evaluated. It can consist of:
    ///
    /// - comparisons of properties with values and with each other
    /// - `&&`, `||`, `!`, `?:`, optional chaining, `if let`, and `??` followed by a value
    /// - `starts(with:)` and `contains(_:)` of strings
    /// - `contains` of ranges, arrays and collections of values
    /// - `contains(where:)`, `allSatisfy(_:)` and `filter(_:)` of collections of objects
    /// - `isEmpty`, `count`, `min()` and `max()` of collections
    ///
    /// Strings are compared by their bytes.
    ///
    /// - Throws: An error that names the unsupported part of the predicate.
    public func filter(_ predicate: Predicate<Element>) throws -> Results<Element> {
        try _filtered(PredicateTranslator.translate(predicate), format: "")
    }

    /// Returns the position of the first object that matches a Swift predicate; nil if there is
    /// none. See `filter(_:)`.
    ///
    /// - Throws: An error that names the unsupported part of the predicate.
    public func index(matching predicate: Predicate<Element>) throws -> Int? {
        try _index(matching: PredicateTranslator.translate(predicate), format: "")
    }
}
