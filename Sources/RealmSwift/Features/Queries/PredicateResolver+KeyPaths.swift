import StorageEngine

extension PredicateResolver {
    /// Resolves a key path, starting from the objects of its variable, or from the objects that the
    /// whole predicate tests.
    func resolve(_ path: KeyPathSyntax) throws -> ResolvedKeyPath {
        guard let scope = scopes.lastIndex(where: { $0.name == path.variable }) else {
            throw error("Unknown variable '$\(path.variable ?? "")'", at: path.position)
        }
        var resolved = try KeyPathResolution(self, path, in: scopes[scope]).resolve(path.steps)
        if scope < scopes.count - 1 {
            references.add(scope)
            resolved.origin = scopes[scope].variable
        }
        return resolved
    }
}

/// The resolution of a key path, step by step.
private struct KeyPathResolution {
    private let resolver: PredicateResolver
    private var path: ResolvedKeyPath

    init(_ resolver: PredicateResolver, _ syntax: KeyPathSyntax, in scope: PredicateScope) {
        self.resolver = resolver
        path = ResolvedKeyPath(from: scope.managedClass, syntax)
    }

    func resolve(_ steps: [KeyPathSyntax.Step]) throws -> ResolvedKeyPath {
        var resolution = self
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            switch step {
            case .name(let name): try resolution.follow(name)
            case .operation(let name): try resolution.follow(operation: name, isLast)
            case .key(let key): try resolution.follow(.key(Array(key.utf8)), key: key)
            case .index(let index): try resolution.follow(.index(index), key: nil)
            case .anyElement: try resolution.follow(.any, key: nil)
            }
        }
        return try resolution.finished()
    }

    private func invalid(_ reason: String) -> InvalidPredicate {
        resolver.error("Invalid keypath '\(path.text)': \(reason)", at: path.position)
    }

    // MARK: Names

    private mutating func follow(_ name: String) throws {
        try enterObjects()
        let model = path.last.model
        if let position = model.position(ofStored: name) {
            path.end = .property(model.properties[position], column: path.last.columns[position])
        } else if let property = model[name] {
            path.end = .referrers(try referrers(property))
        } else {
            throw resolver.error(
                "Property '\(name)' not found in object of type '\(model.name)'",
                at: path.position)
        }
    }

    private func referrers(_ property: PropertyModel) throws -> ResolvedKeyPath.Hop {
        guard let type = property.shape.linkedClass else {
            throw invalid("Property '\(property.name)' cannot be queried.")
        }
        let origin = resolver.realm.managedClass(for: type)
        let position = origin.model.properties.firstIndex {
            $0.name == property.linkOriginPropertyName
        }
        guard let position else {
            throw resolver.error(
                "Property '\(property.linkOriginPropertyName ?? "")' not found in object of type "
                    + "'\(origin.model.name)'", at: path.position)
        }
        return ResolvedKeyPath.Hop(
            kind: .referrers(table: origin.existingTable.number),
            column: origin.columns[position], target: origin)
    }

    /// The maximum number of hops. It limits the nesting of conditions, because each hop adds a
    /// level.
    private static let maximumHops = 100

    /// Turns the end into a hop, so that a property of its objects can follow.
    private mutating func enterObjects() throws {
        switch path.end {
        case .object: return
        case .referrers(let hop): try append(hop)
        case .property(let property, let column) where property.shape.isLink:
            try append(
                ResolvedKeyPath.Hop(
                    kind: property.shape.collection == .none ? .one : .many, column: column,
                    target: path.last.linkTarget(column: column)))
        case .property(let property, _), .keys(let property, _):
            throw invalid(
                "Property '\(path.last.model.name).\(property.name)' is not a link or collection "
                    + "and can only appear at the end of a keypath.")
        case .entry, .part: throw invalid("Cannot apply key path to Map subscripts.")
        }
    }

    private mutating func append(_ hop: ResolvedKeyPath.Hop) throws {
        if path.hops.count == Self.maximumHops {
            throw resolver.error(
                "A key path leads through more than \(Self.maximumHops) links", at: path.position)
        }
        path.hops.append(hop)
        path.last = hop.target
        path.end = .object
    }

    // MARK: Operators

    private mutating func follow(operation name: String, _ isLast: Bool) throws {
        switch name {
        case "count":
            try follow(.count)
            if !isLast { throw invalid("@count must appear at the end of a keypath.") }
        case "min", "max", "sum", "avg":
            guard let aggregate = QueryAggregate(rawValue: name) else { return }
            try follow(.aggregate(aggregate))
            if path.targetClass == nil, !isLast {
                throw invalid(
                    "@\(name) on a collection of values must appear at the end of a keypath.")
            }
            if path.targetClass != nil, isLast {
                throw invalid(
                    "@\(name) on a collection of objects cannot appear at the end of a keypath.")
            }
        case "allKeys":
            guard case .property(let property, let column) = path.end,
                property.shape.collection == .map
            else { throw invalid("@allKeys must follow a dictionary property.") }
            path.end = .keys(property, column: column)
        case "allValues":
            guard case .property(let property, _) = path.end, property.shape.collection == .map
            else { throw invalid("@allValues must follow a dictionary property.") }
        default: throw invalid("Unsupported collection operation '@\(name)'")
        }
    }

    private mutating func follow(_ operation: ResolvedKeyPath.Operator) throws {
        if path.operation != nil {
            throw invalid("at most one collection operation per keypath is supported.")
        }
        switch path.end {
        case .referrers: break
        case .property(let property, _)
        where property.shape.isLink || property.shape.collection != .none:
            break
        case .property(let property, _), .keys(let property, _), .entry(let property, _, _),
            .part(let property, _, _):
            throw invalid(
                "Property '\(path.last.model.name).\(property.name)' is not a link or collection "
                    + "and can only appear at the end of a keypath.")
        case .object: throw invalid("a collection operation must follow a collection.")
        }
        path.operation = operation
    }

    /// Checks what can only be checked when the whole path is known.
    private func finished() throws -> ResolvedKeyPath {
        guard case .aggregate(let aggregate)? = path.operation else { return path }
        guard case .property(let property, _) = path.end else {
            throw invalid(
                "@\(aggregate.rawValue) can only be applied to a collection of numeric values.")
        }
        switch property.shape.type.traits.family {
        case .number, .mixed: return path
        case .date where aggregate == .minimum || aggregate == .maximum: return path
        case .date: throw resolver.error("Cannot sum or average date properties", at: path.position)
        case .bool, .string, .data, .identifier, .link:
            throw invalid(
                "@\(aggregate.rawValue) can only be applied to a collection of numeric values.")
        }
    }

    // MARK: Subscripts

    private mutating func follow(_ step: QueryPath.MixedStep, key: String?) throws {
        switch path.end {
        case .part(let property, let column, let steps):
            path.end = .part(property, column: column, steps + [step])
        case .entry(let property, let column, let first) where property.shape.type == .mixed:
            path.end = .part(property, column: column, [.key(Array(first.utf8)), step])
        case .property(let property, let column) where property.shape.collection == .map:
            guard path.operation == nil, let key else {
                throw invalid("a dictionary takes a string as subscript.")
            }
            path.end = .entry(property, column: column, key: key)
        case .property(let property, let column)
        where property.shape.type == .mixed && path.operation == nil:
            path.end = .part(property, column: column, [step])
        case .property(let property, _), .keys(let property, _), .entry(let property, _, _):
            throw invalid("Property '\(path.last.model.name).\(property.name)' takes no subscript.")
        case .object, .referrers: throw invalid("Subscripts follow dictionaries and mixed values.")
        }
    }
}
