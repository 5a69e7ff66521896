/// A value that can be compared with a value of another version.
///
/// Collections inside mixed values are compared by contents. Their stored bytes name pages, which
/// may have been moved.
enum ComparedValue {
    case scalar(Scalar)
    indirect case nested(CollectionIdentity, [CollectionContents.Element])

    /// Creates the comparable form of a value that is nested in `depth` collections.
    init(
        _ value: Scalar, of type: ValueType, in pager: Pager, depth: Int,
        within budget: inout RowBudget
    ) throws(StorageError) {
        guard type == .mixed, let nested = NestedCollection(value) else {
            self = .scalar(value)
            return
        }
        guard depth <= NestedCollection.maximumDepth else { throw tooDeep(pager) }
        let contents = try CollectionContents(
            StoredCollection(pager: pager, bytes: nested.rows, format: .nested(nested.kind)),
            depth: depth + 1)
        let nothing = CollectionContents.SharedLeaves()
        let elements = try contents.elements(without: (nothing, nothing), &budget)
        self = .nested(nested.identity, elements)
    }
}

extension ComparedValue: Hashable {
    static func == (left: ComparedValue, right: ComparedValue) -> Bool {
        switch (left, right) {
        case (.scalar(let left), .scalar(let right)): left.isIdentical(to: right)
        case (.nested(let left, let rows), .nested(let right, let otherRows)):
            left == right && rows == otherRows
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .nested(let identity, _): hasher.combine(identity)
        case .scalar(.null): break
        case .scalar(.integer(let value)): hasher.combine(value)
        case .scalar(.float(let value)): hasher.combine(value.bitPattern)
        case .scalar(.double(let value)): hasher.combine(value.bitPattern)
        case .scalar(.bytes(let bytes)): hasher.combine(bytes: bytes)
        case .scalar(.fixed16(let first, let second)):
            hasher.combine(first)
            hasher.combine(second)
        case .scalar(.fixed12(let first, let second)):
            hasher.combine(first)
            hasher.combine(second)
        }
    }
}
