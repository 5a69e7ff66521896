/// What the operators of a typed query have put together, before it becomes a predicate.
///
/// Paths are kept apart from conditions because the same property means different things: alone it
/// is a condition (`$0.isDone`), beside an operator an operand.
enum TypedExpression {
    enum Junction: String {
        case and = "&&"
        case or = "||"
    }

    case path(TypedPath)
    /// A constant: nil, or a value of a type that is stored.
    case value(Any?)
    case list([Any?])
    indirect case not(TypedExpression)
    case compound(CompoundExpression)
    indirect case comparison(
        TypedExpression, ComparisonSyntax.Operation, StringOptions, TypedExpression)
    indirect case between(TypedPath, Any?, Any?)
    /// In how many objects of a collection a condition on properties of them is true. Which
    /// collection is found out by `namingSubqueries`.
    indirect case count(TypedExpression)
    indirect case subquery(collection: TypedPath, variable: String, TypedExpression)

    /// The path that the expression is.
    var path: TypedPath? {
        if case .path(let path) = self { return path }
        return nil
    }

    /// All operands that a chain of the same operator joins, in their order. Long chains are deep
    /// on the left side only.
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
/// An object, because a chain of the same operator is as deep on the left side as it is long: it is
/// released in a loop, where an indirect case would take the stack.
final class CompoundExpression {
    private(set) var left: TypedExpression
    let junction: TypedExpression.Junction
    let right: TypedExpression

    init(_ left: TypedExpression, _ junction: TypedExpression.Junction, _ right: TypedExpression) {
        self.left = left
        self.junction = junction
        self.right = right
    }

    deinit {
        var rest = takeLeft()
        while case .compound(var part) = rest {
            rest = .value(nil)
            // Whoever else refers to it releases it.
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

/// The properties through which a typed query leads.
struct TypedPath {
    /// The variable of a subquery that the path begins with.
    var variable: String?
    var steps: [KeyPathSyntax.Step] = []
    /// How many steps lead to and into each collection on the way.
    var collections: [Int] = []
    /// Whether a collection operator makes one value of all elements.
    var isAggregate = false
    var hasMapSubscript = false
    var hasMixedSubscript = false

    /// Whether the path stands for many values, of which any may satisfy a condition.
    var standsForMany: Bool { !collections.isEmpty && !isAggregate }

    func appending(_ step: KeyPathSyntax.Step) -> TypedPath {
        var path = self
        path.steps.append(step)
        return path
    }

    /// - Parameter name: of a property, or of several that dots separate.
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

    /// The value that an operator makes of all values of a path that stands for many.
    ///
    /// The operator stands behind the collection: at the end of a collection of values, before the
    /// last name where that is a property of the elements.
    func applying(_ operation: String) -> TypedPath {
        var path = self
        path.steps.insert(.operation(operation), at: collections.last ?? steps.count)
        path.isAggregate = true
        return path
    }

    /// The path as seen from an element of the collection that is the first on the way; nil if
    /// there is none, or only one of whose elements an operator makes a value.
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

    /// The part of the path that leads to the first collection on the way.
    var toFirstCollection: TypedPath? {
        guard let first = collections.first else { return nil }
        return TypedPath(variable: variable, steps: Array(steps[..<first]), collections: [first])
    }

    func hasSameSteps(as other: TypedPath) -> Bool {
        variable == other.variable && steps == other.steps
    }
}
