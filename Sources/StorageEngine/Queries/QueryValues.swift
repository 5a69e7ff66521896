/// A path prepared for following it from one object after another.
struct QueryValues {
    private let table: Table
    private let steps: [(table: Table, step: QueryPath.Step)]
    private let last: Table
    private let end: QueryPath.End

    init(_ table: Table, _ path: QueryPath) throws(StorageError) {
        self.table = table
        var last = table
        var steps: [(Table, QueryPath.Step)] = []
        for step in path.steps {
            steps.append((last, step))
            switch step {
            case .link(let column): last = try last.target(ofLinks: column)
            case .referrers(let number, _):
                last = try last.connection.existingTable(number: number)
            }
        }
        self.steps = steps
        self.last = last
        end = path.end
    }

    /// Whether the values are in the object's row, or in collections whose roots are in the row.
    var areOfOwnRow: Bool {
        guard steps.isEmpty else { return false }
        if case .referrers = end { return false }
        return true
    }

    /// The type of the values.
    var type: ValueType {
        switch end {
        case .column(let column), .entry(let column, _): last.definition.columns[column].type
        case .keys: .string
        case .part: .mixed
        case .referrers: .typedLink
        }
    }

    /// The table of the objects at the end of the path.
    func target() throws(StorageError) -> Table {
        switch end {
        case .column(let column): try last.target(ofLinks: column)
        case .referrers(let number, _): try last.connection.existingTable(number: number)
        case .keys, .entry, .part:
            throw table.pager.invalidArgument("The path does not end in objects.")
        }
    }

    /// Visits the values until `body` returns false. Bytes are valid while nothing is written.
    func forEach(of key: ObjectKey, _ body: (MixedValue) throws(StorageError) -> Bool)
        throws(StorageError)
    {
        _ = try follow(0, key) { key throws(StorageError) in try visitEnd(key, body) }
    }

    /// The number of values.
    func count(of key: ObjectKey) throws(StorageError) -> Int {
        var count = 0
        _ = try follow(0, key) { key throws(StorageError) in
            count += try countAtEnd(of: key)
            return true
        }
        return count
    }

    // MARK: Steps

    /// Calls `body` with each object at the end of the steps, until it returns false. Returns false
    /// if it did.
    private func follow(
        _ depth: Int, _ key: ObjectKey, _ body: (ObjectKey) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard depth < steps.count else { return try body(key) }
        var isUnfinished = true
        func visit(_ next: ObjectKey) throws(StorageError) -> Bool {
            isUnfinished = try follow(depth + 1, next, body)
            return isUnfinished
        }
        let (table, step) = steps[depth]
        switch step {
        case .link(let column): try table.forEachLink(column, of: key, visit)
        case .referrers(let number, let column):
            let origin = try table.connection.existingTable(number: number)
            try origin.forEachReference(to: key, in: column) { origin, count throws(StorageError) in
                for _ in 0..<count where isUnfinished { _ = try visit(origin) }
                return isUnfinished
            }
        }
        return isUnfinished
    }

    // MARK: Ends

    private func visitEnd(
        _ key: ObjectKey, _ body: (MixedValue) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        switch end {
        case .column(let column): return try visit(column, of: key, body)
        case .keys(let column):
            var isUnfinished = true
            try last.map(column, of: key).forEach { name, _ throws(StorageError) in
                isUnfinished = try body(.string(name))
                return isUnfinished
            }
            return isUnfinished
        case .entry(let column, let name):
            let map = last.map(column, of: key)
            let value = try name.withBytes { name throws(StorageError) in
                try map.value(forKey: name)
            }
            guard let value else { return try body(.null) }
            return try body(mixed(value, column))
        case .part(let column, let steps):
            var isFound = false
            let isUnfinished = try visitParts(of: column, of: key, along: steps[...]) {
                value throws(StorageError) in
                isFound = true
                return try body(value)
            }
            return try isFound || steps.contains(.any) ? isUnfinished : body(.null)
        case .referrers(let number, let column):
            let origin = try last.connection.existingTable(number: number)
            var isUnfinished = true
            try origin.forEachReference(to: key, in: column) { origin, count throws(StorageError) in
                let link = TypedLink(table: number, key: origin)
                for _ in 0..<count where isUnfinished { isUnfinished = try body(.link(link)) }
                return isUnfinished
            }
            return isUnfinished
        }
    }

    private func visit(
        _ column: Int, of key: ObjectKey, _ body: (MixedValue) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        var isUnfinished = true
        func visit(_ value: Scalar) throws(StorageError) -> Bool {
            isUnfinished = try body(mixed(value, column))
            return isUnfinished
        }
        switch last.definition.columns[column].collection {
        case .none: _ = try visit(last.value(column, of: key))
        case .list: try last.list(column, of: key).forEach(visit)
        case .set: try last.set(column, of: key).forEach(visit)
        case .map:
            try last.map(column, of: key).forEach { _, value throws(StorageError) in
                try visit(value)
            }
        }
        return isUnfinished
    }

    private func countAtEnd(of key: ObjectKey) throws(StorageError) -> Int {
        switch end {
        case .column(let column), .keys(let column):
            switch last.definition.columns[column].collection {
            case .none: return try last.value(column, of: key).isNull ? 0 : 1
            case .list: return try last.list(column, of: key).count()
            case .set: return try last.set(column, of: key).count()
            case .map: return try last.map(column, of: key).count()
            }
        case .entry, .part, .referrers:
            var count = 0
            _ = try visitEnd(key) { _ in
                count += 1
                return true
            }
            return count
        }
    }

    /// Converts a stored value of a property, or of one of its elements.
    private func mixed(_ value: Scalar, _ column: Int) throws(StorageError) -> MixedValue {
        let definition = last.definition.columns[column]
        if case .integer(let key) = value, definition.type.hasFixedTarget {
            let table = try last.target(ofLinks: column).number
            return .link(TypedLink(table: table, key: ObjectKey(rawValue: key)))
        }
        guard let mixed = MixedValue(value, storedAs: definition.type) else {
            throw table.pager.damaged(0, "a value of \(last.queryName(of: column))")
        }
        return mixed
    }

    // MARK: Parts of mixed values

    private func visitParts(
        of column: Int, of key: ObjectKey, along steps: ArraySlice<QueryPath.MixedStep>,
        _ body: (MixedValue) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        switch last.definition.columns[column].collection {
        case .none: return try visitParts(of: last.value(column, of: key), steps, body)
        case .list:
            return try visitParts(of: last.list(column, of: key).collection.stored(), steps, body)
        case .set:
            return try visitParts(of: last.set(column, of: key).collection.stored(), steps, body)
        case .map:
            return try visitParts(of: last.map(column, of: key).collection.stored(), steps, body)
        }
    }

    private func visitParts(
        of value: Scalar, _ steps: ArraySlice<QueryPath.MixedStep>,
        _ body: (MixedValue) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard !steps.isEmpty else {
            guard let mixed = MixedValue(value) else {
                throw table.pager.damaged(0, "a mixed value")
            }
            return try body(mixed)
        }
        guard let nested = NestedCollection(value) else { return true }
        let collection = StoredCollection(
            pager: table.pager, bytes: nested.rows, format: .nested(nested.kind))
        return try visitParts(of: collection, steps, body)
    }

    private func visitParts(
        of collection: StoredCollection, _ steps: ArraySlice<QueryPath.MixedStep>,
        _ body: (MixedValue) throws(StorageError) -> Bool
    ) throws(StorageError) -> Bool {
        guard let step = steps.first else { return true }
        let rest = steps.dropFirst()
        switch step {
        case .any:
            var isUnfinished = true
            // swift-format-ignore: ReplaceForEachWithForLoop
            try collection.forEach { row throws(StorageError) in
                isUnfinished = try visitParts(of: row.value, rest, body)
                return isUnfinished
            }
            return isUnfinished
        case .key(let name):
            guard collection.format.hasKeys else { return true }
            let (index, isFound) = try name.withBytes { name throws(StorageError) in
                try collection.position(ofKey: name)
            }
            return try isFound ? visitParts(of: collection.value(at: index), rest, body) : true
        case .index(let index):
            let count = try collection.count()
            let position = index < 0 ? count + index : index
            guard !collection.format.hasKeys, position >= 0, position < count else { return true }
            return try visitParts(of: collection.value(at: position), rest, body)
        }
    }
}

extension Connection {
    func existingTable(number: Int) throws(StorageError) -> Table {
        guard let table = try table(number: number) else {
            throw pager.invalidArgument("There is no table with number \(number).")
        }
        return table
    }
}
