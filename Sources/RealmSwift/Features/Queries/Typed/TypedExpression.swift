/// An expression built by the operators of a typed query, before it becomes a predicate.
///
/// Paths are distinct from conditions because the same property has two meanings: alone it is a
/// condition (`$0.isDone`), and beside an operator it is an operand.
enum TypedExpression {
    enum Junction: String {
        case and = "&&"
        case or = "||"
    }

    case path(TypedPath)
    /// A constant: nil, or a value of a stored type.
    case value(Any?)
    case list([Any?])
    indirect case not(TypedExpression)
    case compound(CompoundExpression)
    indirect case comparison(
        TypedExpression, ComparisonSyntax.Operation, StringOptions, TypedExpression)
    indirect case between(TypedPath, Any?, Any?)
    /// The number of objects of a collection that satisfy a condition on their properties.
    /// `namingSubqueries` determines the collection.
    indirect case count(TypedExpression)
    indirect case subquery(collection: TypedPath, variable: String, TypedExpression)

    /// The path, if the expression is one; otherwise nil.
    var path: TypedPath? {
        if case .path(let path) = self { return path }
        return nil
    }

    /// Returns all operands of a chain of the same operator, in their order. Long chains are nested
    /// only on the left side.
    func operands(of junction: Junction) -> [TypedExpression] {
        var operands: [TypedExpression] = []
        var rest = self
        while case .compound(let part) = rest, part.junction == junction {
            operands.append(part.right)
            rest = part.left
        }
        operands.append(rest)
        return operands.reversed()
    }
}

/// Two conditions and the operator that joins them.
///
/// It is a class because a long chain of the same operator is nested deeply on the left side. An
/// object can release it iteratively, whereas the release of an indirect case would recurse and
/// could overflow the stack.
final class CompoundExpression {
    private(set) var left: TypedExpression
    let junction: TypedExpression.Junction
    let right: TypedExpression

    init(_ left: TypedExpression, _ junction: TypedExpression.Junction, right: TypedExpression) {
        self.left = left
        self.junction = junction
        self.right = right
    }

    deinit {
        var rest = takeLeft()
        while case .compound(var part) = rest {
            rest = .value(nil)
            // Another reference exists, and its release continues the work.
            guard isKnownUniquelyReferenced(&part) else { return }
            rest = part.takeLeft()
        }
    }

    private func takeLeft() -> TypedExpression {
        let taken = left
        left = .value(nil)
        return taken
    }
}

/// The properties along the path of a typed query.
struct TypedPath {
    /// The variable of a subquery with which the path begins.
    var variable: String?
    var steps: [KeyPathSyntax.Step] = []
    /// The number of steps up to and including each collection on the path.
    var collections: [Int] = []
    /// Whether a collection operator reduces all elements to one value.
    var isAggregate = false
    var hasMapSubscript = false
    var hasMixedSubscript = false

    /// Whether the path represents many values, of which any can satisfy a condition.
    var standsForMany: Bool { !collections.isEmpty && !isAggregate }

    func appending(_ step: KeyPathSyntax.Step) -> TypedPath {
        var path = self
        path.steps.append(step)
        return path
    }

    /// Returns the path with a property appended.
    ///
    /// - Parameters:
    ///   - name: The name of a property, or of several properties separated by dots.
    ///   - isCollection: Whether the last property is a collection.
    func appending(_ name: String, isCollection: Bool) -> TypedPath {
        var path = self
        if name.utf8.contains(UInt8(ascii: ".")) {
            for name in name.split(separator: ".") { path.steps.append(.name(String(name))) }
        } else {
            path.steps.append(.name(name))
        }
        if isCollection { path.collections.append(path.steps.count) }
        return path
    }

    /// Returns the path to the result of an operator on all values of a path that represents many.
    ///
    /// The operator follows the collection: it comes last for a collection of values, and before
    /// the last name for a property of the elements.
    func applying(_ operation: String) -> TypedPath {
        var path = self
        path.steps.insert(.operation(operation), at: collections.last ?? steps.count)
        path.isAggregate = true
        return path
    }

    /// Returns the path relative to an element of the first collection on the path. Returns nil if
    /// there is no collection, or if an operator reduces the only collection to a value.
    func relative(to variable: String) -> TypedPath? {
        guard let first = collections.first, !isAggregate || collections.count > 1 else {
            return nil
        }
        var path = self
        path.variable = variable
        path.steps.removeFirst(first)
        path.collections = collections.dropFirst().map { $0 - first }
        return path
    }

    /// The part of the path up to its first collection.
    var toFirstCollection: TypedPath? {
        guard let first = collections.first else { return nil }
        return TypedPath(variable: variable, steps: Array(steps[..<first]), collections: [first])
    }

    func hasSameSteps(as other: TypedPath) -> Bool {
        variable == other.variable && steps == other.steps
    }
}
