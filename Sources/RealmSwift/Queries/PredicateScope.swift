import StorageEngine

/// Objects that key paths of a predicate may begin with.
final class PredicateScope {
    let managedClass: ManagedClass
    /// The variable that stands for each of them; nil for those that the whole predicate is about.
    let name: String?
    private var madeVariable: QueryVariable?

    init(_ managedClass: ManagedClass, name: String?) {
        self.managedClass = managedClass
        self.name = name
    }

    /// What stands for the object at hand in conditions of other objects.
    var variable: QueryVariable {
        let variable = madeVariable ?? QueryVariable(table: managedClass.existingTable.number)
        madeVariable = variable
        return variable
    }
}

/// Which scopes the conditions of subqueries refer to.
final class PredicateReferences {
    /// The outermost scope that was referred to from another one; `Int.max` for none.
    private var outermost = Int.max

    func add(_ scope: Int) { outermost = min(outermost, scope) }

    /// Resolves a condition, and tells whether it refers to a scope outside of its own.
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
