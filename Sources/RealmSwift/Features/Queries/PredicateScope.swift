import StorageEngine

/// The objects with which key paths of a predicate can begin.
final class PredicateScope {
    let managedClass: ManagedClass
    /// The name of the variable for these objects; nil for the objects that the whole predicate
    /// tests.
    let name: String?
    private var madeVariable: QueryVariable?

    init(_ managedClass: ManagedClass, name: String?) {
        self.managedClass = managedClass
        self.name = name
    }

    /// The variable for the current object in conditions on other objects.
    var variable: QueryVariable {
        let variable = madeVariable ?? QueryVariable(table: managedClass.existingTable.number)
        madeVariable = variable
        return variable
    }
}

/// A record of the scopes to which the conditions of subqueries refer.
final class PredicateReferences {
    /// The outermost scope referred to from another one; `Int.max` if there is none.
    private var outermost = Int.max

    func add(_ scope: Int) { outermost = min(outermost, scope) }

    /// Resolves a condition. Returns it together with whether it refers to a scope outside of its
    /// own.
    func resolving(
        _ scope: Int, _ body: () throws -> QueryCondition
    ) rethrows -> (condition: QueryCondition, refersToOthers: Bool) {
        let before = outermost
        outermost = .max
        defer { outermost = min(before, outermost) }
        let condition = try body()
        return (condition, outermost < scope)
    }
}
