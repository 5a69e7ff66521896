/// Changing the values of a collection together with what they refer to: backlinks, embedded
/// objects and nested collections.
extension CollectionHandle {
    // MARK: Checking

    /// Throws, before anything has changed, unless the collection may hold `value`.
    func check(_ value: Scalar) throws(StorageError) {
        try table.requireWriteTransaction()
        // Embedded objects are created in place (`createEmbedded`), never passed in.
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

    func check(key: UnsafeRawBufferPointer) throws(StorageError) {
        if key.count > Pager.maximumValueBytes { throw table.tooLarge(column, key.count) }
    }

    /// Throws unless a list or map of mixed values may be put into this collection.
    func checkNesting(_ kind: CollectionKind) throws(StorageError) {
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

    /// Calls `body` with bytes that are safe to store. Short bytes are copied, because they may lie
    /// in the very page that they are written to.
    func withOwned(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    )
        throws(StorageError)
    {
        guard bytes.count <= pager.maximumInlineBytes else { return try body(bytes) }
        try Array(bytes).withBytes(body)
    }

    // Inlined, so that the captures of `body` are not copied, which would count references.
    @inline(__always)
    func withOwned(_ value: Scalar, _ body: (Scalar) throws(StorageError) -> Void)
        throws(StorageError)
    {
        guard case .bytes(let bytes) = value else { return try body(value) }
        try withOwned(bytes) { bytes throws(StorageError) in try body(.bytes(bytes)) }
    }

    // MARK: Changing

    /// Inserts a row whose value was checked, at the end if `index` is nil.
    func insert(_ row: CollectionRow, at index: Int?) throws(StorageError) {
        let stored = try stored()
        let position = if let index { index } else { try stored.count() }
        try insertRow(row, at: position, in: stored)
        try table.addReference(column, from: owner, to: row.value)
    }

    /// Replaces a value by one that was checked.
    func set(_ value: Scalar, at index: Int) throws(StorageError) {
        try table.release(column, of: owner, value: try stored().value(at: index))
        try setRow(at: index, to: value)
        try table.addReference(column, from: owner, to: value)
    }

    func remove(at index: Int) throws(StorageError) {
        let isThere = try remove(ifAt: index)
        precondition(isThere, "position out of range")
    }

    /// Removes a row, after one look at the collection. Returns false, with nothing changed, if the
    /// position is out of range.
    func remove(ifAt index: Int) throws(StorageError) -> Bool {
        try table.requireWriteTransaction()
        let stored = try stored()
        if let root = stored.root {
            guard index >= 0, index < root.count else { return false }
            if let value = try takeValue(at: index, in: root) {
                try table.release(column, of: owner, value: value)
                return true
            }
        }
        guard index >= 0, try index < stored.count() else { return false }
        try table.release(column, of: owner, value: stored.value(at: index))
        try removeRow(at: index)
        return true
    }

    func removeAll() throws(StorageError) {
        try table.requireWriteTransaction()
        let count = table.recorder == nil ? 0 : try stored().count()
        // The rows are read, and their pages freed, before the root is overwritten.
        var released = ReleasedValues()
        try released.add(try stored(), table, column: column)
        try store([])
        try record(countDifference: -count) { $0.removeAll() }
        try table.drop(released, column, of: owner, limitingMemory: true)
    }

    // MARK: Embedded objects and nested collections

    /// Creates an embedded object, which the collection is to own, and calls `store` with its link.
    func createEmbedded(
        _ values: UnsafeBufferPointer<Scalar>, _ store: (Scalar) throws(StorageError) -> Void
    ) throws(StorageError) -> ObjectKey {
        guard format.type == .embedded else {
            throw pager.invalidArgument("\(name) does not hold embedded objects.")
        }
        _ = try stored()
        let key = try table.insertEmbedded(column, values)
        try store(.integer(key.rawValue))
        return key
    }

    /// Creates an empty list or map and calls `store` with it.
    func createNested(_ kind: CollectionKind, _ store: (Scalar) throws(StorageError) -> Void)
        throws(StorageError)
    {
        try checkNesting(kind)
        let identity = table.connection.makeCollectionIdentity()
        let image = NestedCollection.image(kind, identity, of: [])
        try image.withBytes { bytes throws(StorageError) in try store(.bytes(bytes)) }
    }

    // MARK: Deleted targets

    /// Up to this many deleted targets are searched for one by one. For more, all rows are read
    /// once.
    static let fewTargets = 16

    /// Removes all references to deleted objects, whose backlinks are gone already. Lists and sets
    /// lose the elements; in maps and mixed values the references become null.
    func forget(_ targets: ForgottenTargets) throws(StorageError) {
        switch targets {
        case .one(let target, let count): try forget(target, count: count)
        case .many(let targets):
            var budget = RowBudget(pager)
            try forget(targets, &budget)
        }
    }

    /// Removes `count` references to one object from this collection and those nested in it.
    private func forget(_ target: TypedLink, count: Int) throws(StorageError) {
        if format.collection == .set { return try forgetMember(target) }
        guard format.type.mayRefer else { return }
        var search = ReferenceSearch(self, target, count: count)
        try search.run()
        if becomesNull {
            // Setting a row to null moves no row, so the positions found in nested collections stay
            // valid.
            for finding in search.findings {
                try finding.collection.setRow(at: finding.position, to: .null)
            }
        } else {
            // From the end, so that the positions still to be removed do not shift.
            let positions = search.findings.map(\.position).sorted(by: >)
            for position in positions { try removeRow(at: position) }
        }
    }

    /// Removes the references to many objects in one pass over the rows.
    private func forget(_ targets: Set<TypedLink>, _ budget: inout RowBudget) throws(StorageError) {
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

    private func forgetInOnePass(_ targets: Set<TypedLink>) throws(StorageError) {
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
            // From the end, so that the positions still to be removed do not shift.
            for index in found.reversed() { try removeRow(at: index) }
        }
    }

    /// Whether a reference whose target is gone becomes null, rather than being removed.
    private var becomesNull: Bool { format.hasKeys || format.type == .mixed }

    private func forgetMember(_ target: TypedLink) throws(StorageError) {
        switch format.type.traits.reference {
        case .key, .ownedKey: try forgetMember(.integer(target.key.rawValue))
        case .typedLink: try forgetMember(target.scalar)
        case .mixed:
            try MixedValue.link(target).withScalar { value throws(StorageError) in
                try forgetMember(value)
            }
        case .none: break
        }
    }

    private func forgetMember(_ value: Scalar) throws(StorageError) {
        let (index, isFound) = try stored().position(of: value)
        if isFound { try removeRow(at: index) }
    }

    /// The collections nested directly in this one. They stay valid while rows are changed but not
    /// moved.
    private func children() throws(StorageError) -> [CollectionHandle] {
        var children: [CollectionHandle] = []
        var position = 0
        try stored().forEachValue { value throws(StorageError) in
            if let nested = NestedCollection(value) {
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

/// Deleted objects, all references to which are to be removed from a holder.
enum ForgottenTargets {
    /// One object, and the number of references that the holder has to it.
    case one(TypedLink, count: Int)
    case many(Set<TypedLink>)

    func contains(_ target: TypedLink) -> Bool {
        switch self {
        case .one(let one, _): one == target
        case .many(let many): many.contains(target)
        }
    }
}

/// Returns the error for collections nested deeper than the library allows, which only a damaged or
/// malicious file contains.
func tooDeep(_ pager: Pager) -> StorageError {
    pager.damaged(0, "collections lie deeper inside each other than any this library writes")
}
