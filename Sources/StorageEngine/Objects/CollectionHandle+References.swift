/// Values with what they bring along: backlinks, embedded objects, nested collections.
extension CollectionHandle {
    // MARK: Checking

    /// Throws unless the collection holds such values; nothing has changed then.
    func check(_ value: Scalar) throws {
        try table.requireWriteTransaction()
        // Embedded objects are made in their places, never handed over.
        guard
            value.isNull
                ? format.allowsNull : format.type.accepts(value) && format.type != .embedded
        else {
            throw pager.invalidArgument("\(name) does not hold such elements.")
        }
        if case .bytes(let bytes) = value, bytes.count > format.type.maximumBytes {
            throw table.tooLarge(column, bytes.count)
        }
        try table.checkTarget(column, value)
    }

    func check(key: UnsafeRawBufferPointer) throws {
        if key.count > Pager.maximumValueBytes { throw table.tooLarge(column, key.count) }
    }

    /// Throws unless a list or map of mixed values may be put into this collection.
    func checkNesting(_ kind: CollectionKind) throws {
        try table.requireWriteTransaction()
        guard format.type == .mixed, format.collection != .set, kind == .list || kind == .map else {
            throw pager.invalidArgument("\(name) does not hold lists and maps.")
        }
        guard path.count < NestedCollection.maximumDepth else {
            throw pager.invalidArgument(
                "\(name) holds \(NestedCollection.maximumDepth) collections inside each other; "
                    + "deeper ones are not possible.")
        }
    }

    private var name: String { table.name(of: column) }

    /// Short bytes are copied: they may lie in the very page that takes them.
    func withOwned(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void)
        throws
    {
        guard bytes.count <= pager.maximumInlineBytes else { return try body(bytes) }
        try Array(bytes).withUnsafeBytes(body)
    }

    // Inlined, so that what `body` uses is not copied for it, which would count references.
    @inline(__always)
    func withOwned(_ value: Scalar, _ body: (Scalar) throws -> Void) throws {
        guard case .bytes(let bytes) = value else { return try body(value) }
        try withOwned(bytes) { try body(.bytes($0)) }
    }

    // MARK: Changing

    /// Inserts a row whose value was checked; nil: at the end.
    func insert(_ row: CollectionRow, at index: Int?) throws {
        let stored = try stored()
        try insertRow(row, at: try index ?? stored.count(), in: stored)
        try table.addReference(column, from: owner, row.value)
    }

    /// Replaces a value by one that was checked.
    func set(_ value: Scalar, at index: Int) throws {
        try table.release(column, of: owner, try stored().value(at: index))
        try setRow(at: index, to: value)
        try table.addReference(column, from: owner, value)
    }

    func remove(at index: Int) throws {
        try table.requireWriteTransaction()
        try table.release(column, of: owner, try stored().value(at: index))
        try removeRow(at: index)
    }

    func removeAll() throws {
        try table.requireWriteTransaction()
        let count = table.recorder == nil ? 0 : try stored().count()
        var released = ReleasedValues()
        try released.add(try stored(), table, column)
        try store([])
        try record(countDifference: -count) { $0.removeAll() }
        try table.drop(released, column, of: owner, limitingMemory: true)
    }

    // MARK: Embedded objects and nested collections

    /// Makes a new object that the collection is to own, and calls `store` with its link.
    func createEmbedded(
        _ values: UnsafeBufferPointer<Scalar>, _ store: (Scalar) throws -> Void
    ) throws -> ObjectKey {
        guard format.type == .embedded else {
            throw pager.invalidArgument("\(name) does not hold embedded objects.")
        }
        _ = try stored()
        let key = try table.insertEmbedded(column, values)
        try store(.integer(key.rawValue))
        return key
    }

    /// Makes an empty list or map and calls `store` with it.
    func createNested(_ kind: CollectionKind, _ store: (Scalar) throws -> Void) throws {
        try checkNesting(kind)
        let identity = table.connection.makeCollectionIdentity()
        try NestedCollection.image(kind, identity, []).withUnsafeBytes { try store(.bytes($0)) }
    }

    // MARK: Deleted targets

    /// So many targets are looked for one by one; for more, all rows are read once.
    static let fewTargets = 16

    /// Takes out all references to objects whose backlinks are forgotten already: lists and sets
    /// lose them, maps and mixed values get null.
    func forget(_ targets: ForgottenTargets) throws {
        switch targets {
        case .one(let target, let count): try forget(target, count: count)
        case .many(let targets):
            var budget = RowBudget(pager)
            try forget(targets, &budget)
        }
    }

    /// One object, to which the collection and those inside of it refer so many times.
    private func forget(_ target: TypedLink, count: Int) throws {
        if format.collection == .set { return try forgetMember(target) }
        guard format.type.mayRefer else { return }
        var search = ReferenceSearch(self, target, count: count)
        try search.run()
        if becomesNull {
            // Nothing moves: the places of nested collections hold, too.
            for finding in search.findings {
                try finding.collection.setRow(at: finding.position, to: .null)
            }
        } else {
            // From the end, so that the positions before stay what they are.
            let positions = search.findings.map(\.position).sorted(by: >)
            for position in positions { try removeRow(at: position) }
        }
    }

    /// Many objects, in one pass.
    private func forget(_ targets: Set<TypedLink>, _ budget: inout RowBudget) throws {
        try budget.spend(on: try stored())
        if format.collection == .set {
            for target in targets { try forgetMember(target) }
            return
        }
        try forgetInOnePass(targets)
        if format.type == .mixed {
            for child in try children() { try child.forget(targets, &budget) }
        }
    }

    private func forgetInOnePass(_ targets: Set<TypedLink>) throws {
        guard format.type.mayRefer else { return }
        var found: [Int] = []
        var position = 0
        try stored().forEachValue {
            if let target = table.target(column, $0), targets.contains(target) {
                found.append(position)
            }
            position += 1
            return true
        }
        if becomesNull {
            for index in found { try setRow(at: index, to: .null) }
        } else {
            // From the end, so that the positions before stay what they are.
            for index in found.reversed() { try removeRow(at: index) }
        }
    }

    /// Of a value whose target is gone: whether null takes its place.
    private var becomesNull: Bool { format.hasKeys || format.type == .mixed }

    private func forgetMember(_ target: TypedLink) throws {
        switch format.type {
        case .link, .embedded: try forgetMember(.integer(target.key.rawValue))
        case .typedLink: try forgetMember(target.scalar)
        case .mixed: try MixedValue.link(target).withScalar { try forgetMember($0) }
        default: break
        }
    }

    private func forgetMember(_ value: Scalar) throws {
        let (index, isFound) = try stored().position(of: value)
        if isFound { try removeRow(at: index) }
    }

    /// The nested collections. Their places hold while rows are only changed, not moved.
    private func children() throws -> [CollectionHandle] {
        var children: [CollectionHandle] = []
        var position = 0
        try stored().forEachValue {
            if let nested = NestedCollection($0) {
                guard path.count < NestedCollection.maximumDepth else { throw tooDeep(pager) }
                children.append(
                    CollectionHandle(
                        table: table, column: column, owner: owner, format: .nested(nested.kind),
                        path: path + [nested.step(at: position)]))
            }
            position += 1
            return true
        }
        return children
    }
}

/// Objects that are deleted, of which their holders are to know nothing any more.
enum ForgottenTargets {
    /// One object, and how many references to it the holder has.
    case one(TypedLink, count: Int)
    case many(Set<TypedLink>)

    func contains(_ target: TypedLink) -> Bool {
        switch self {
        case .one(let one, _): one == target
        case .many(let many): many.contains(target)
        }
    }
}

/// Only a file made to harm has collections so deep.
func tooDeep(_ pager: Pager) -> StorageError {
    pager.damaged(0, "collections lie deeper inside each other than any this library writes")
}
