/// The objects of a table in the order of a column, as given by an ordered map from values to
/// objects: that of a primary key or of an index. Objects whose value is null are not included.
///
/// Strings that are truncated in the map are ordered by the whole strings: if truncated strings are
/// equal, the objects' values are read and sorted.
struct OrderedColumn {
    let table: Table
    let column: Int
    let map: OrderedMap
    let root: TreeRoot

    private var pager: Pager { table.pager }

    /// The position of the first object whose value is not less than `value` or, if `isBehind`,
    /// greater than it. O(log n) plus the number of strings with the same truncated form.
    func position(_ value: Scalar, isBehind: Bool) throws(StorageError) -> Int {
        try OrderedMap.withFirstKey(of: value, pager) { first, isCut throws(StorageError) in
            guard isCut, case .bytes(let bytes) = value else {
                return try map.position(pager, root, of: first, second: isBehind ? .max : .min)
            }
            var position = try map.position(pager, root, of: first, second: .min)
            try map.forEach(pager, root, fromPosition: position) { leaf, row throws(StorageError) in
                guard map.isFirstEqual(leaf, 0, at: row, to: first) else { return false }
                let order = compareBytes(try bytesOfObject(leaf, row), bytes)
                if order < 0 || isBehind && order == 0 { position += 1 }
                return true
            }
            return position
        }
    }

    /// The object at a position, which must be in range.
    func key(at position: Int) throws(StorageError) -> ObjectKey {
        let entry = try map.entry(pager, root, at: position)
        var key = ObjectKey(rawValue: entry.leaf.integer(1, entry.row))
        guard isCut(entry.leaf, entry.row) else { return key }
        try visitAlike(entry) { index, found in
            key = found
            return index < position
        }
        return key
    }

    /// Visits objects from a position on, until `body` returns false.
    func forEachKey(from start: Int, _ body: (ObjectKey) throws(StorageError) -> Bool)
        throws(StorageError)
    {
        var position = start
        var goesOn = true
        while goesOn, position < root.count {
            try map.forEach(pager, root, fromPosition: position) { leaf, row throws(StorageError) in
                if isCut(leaf, row) { return false }
                position += 1
                goesOn = try body(ObjectKey(rawValue: leaf.integer(1, row)))
                return goesOn
            }
            guard goesOn, position < root.count else { return }
            // The walk has stopped at a truncated string: its group is visited in the order of the
            // whole strings, from position `first` on.
            let first = position
            position = try visitAlike(map.entry(pager, root, at: first)) {
                index, key throws(StorageError) in
                if index >= first { goesOn = try body(key) }
                return goesOn
            }
            guard position > first else { throw damaged() }
        }
    }

    // MARK: Strings that begin alike

    private func isCut(_ leaf: Node, _ row: Int) -> Bool {
        map.firstKeyKind == .bytes && leaf.keyLength(0, row) >= OrderedMap.maximumKeyBytes
    }

    private func bytesOfObject(_ leaf: Node, _ row: Int) throws(StorageError)
        -> UnsafeRawBufferPointer
    {
        let key = ObjectKey(rawValue: leaf.integer(1, row))
        guard let location = try table.location(of: key),
            case .bytes(let bytes) = try table.value(column, at: location)
        else { throw damaged() }
        return bytes
    }

    /// Visits the objects whose truncated strings equal that of an entry, with their positions, in
    /// the order of the whole strings. Returns the position after the last of them.
    @discardableResult
    private func visitAlike(
        _ entry: RowLocation, _ body: (Int, ObjectKey) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int {
        var start = 0
        var alike: [(value: [UInt8], key: ObjectKey)] = []
        var budget = RowBudget(pager)
        try map.withFirstKey(entry.leaf, entry.row) { beginning throws(StorageError) in
            start = try map.position(pager, root, of: beginning, second: .min)
            try map.forEach(pager, root, fromPosition: start) { leaf, row throws(StorageError) in
                guard map.isFirstEqual(leaf, 0, at: row, to: beginning) else { return false }
                let value = try bytesOfObject(leaf, row)
                try budget.spend(onCopyOf: value, pager)
                alike.append((Array(value), ObjectKey(rawValue: leaf.integer(1, row))))
                return true
            }
        }
        alike.sort { left, right in
            let order = left.value.withUnsafeBytes { left in
                right.value.withUnsafeBytes { compareBytes(left, $0) }
            }
            return order != 0 ? order < 0 : left.key.rawValue < right.key.rawValue
        }
        for (offset, entry) in alike.enumerated() where try !body(start + offset, entry.key) {
            break
        }
        return start + alike.count
    }

    private func damaged() -> StorageError {
        pager.damaged(root.reference.page, "the map of a column is not that of its objects")
    }
}
