/// Visiting objects in the order of their primary keys.
extension Table {
    /// Visits objects in ascending order of their primary keys, until `body` returns false: from
    /// the first key that is not before `start` on, or from the smallest.
    ///
    /// Integers ascend as numbers; strings, UUIDs and object ids by their bytes, a shorter value
    /// before those that it begins; null comes first. Starting costs O(log n), each object O(1)
    /// amortised. `body` must not write.
    ///
    /// ```swift
    /// try people.forEachInPrimaryKeyOrder(from: .integer(1000)) { person in
    ///     print(try people.value(1, of: person))
    ///     return true
    /// }
    /// ```
    ///
    /// - Throws: `.invalidArgument` if the table has no primary key or `start` is of another type,
    ///   and what `body` throws.
    public func forEachInPrimaryKeyOrder(
        from start: Scalar? = nil, _ body: (ObjectKey) throws -> Bool
    ) throws {
        guard let column = primaryKeyColumn else {
            throw pager.invalidArgument("'\(stored.name)' has no primary key.")
        }
        let state = try keyState
        guard let start, !start.isNull else {
            // Null is kept in the map's root entry.
            let extra = state.pointee.extra
            if extra != 0, try !body(ObjectKey(rawValue: extra - 1)) { return }
            return try visitKeys(
                state.pointee.root, from: primaryKeyMap.smallestKey, notBefore: nil, body)
        }
        switch (stored.columns[column].kind, start) {
        case (.integer, .integer), (.bytes, .bytes), (.fixed16, .fixed16), (.fixed12, .fixed12):
            break
        default:
            throw pager.invalidArgument(
                "The primary key of '\(stored.name)' has values of another type.")
        }
        try withFirstKey(start) { first, isCut in
            try visitKeys(state.pointee.root, from: first, notBefore: isCut ? start : nil, body)
        }
    }

    /// `notBefore`: a start that the map knows only the beginning of.
    private func visitKeys(
        _ root: TreeRoot, from first: OrderedMap.FirstKey, notBefore: Scalar?,
        _ body: (ObjectKey) throws -> Bool
    ) throws {
        let map = primaryKeyMap
        // Objects whose long keys begin alike: the map does not know their order.
        var alike: [ObjectKey] = []
        var beginning: [UInt8] = []
        var goesOn = true
        try map.forEach(pager, root, from: first, Int64.min) { node, row in
            let key = ObjectKey(rawValue: node.integer(1, row))
            if map.firstKeyKind == .bytes {
                let bytes = node.bytes(0, row)
                if !alike.isEmpty, !beginning.withUnsafeBytes({ compare($0, bytes) == 0 }) {
                    goesOn = try visitAlike(alike, notBefore: notBefore, body)
                    alike.removeAll(keepingCapacity: true)
                    guard goesOn else { return false }
                }
                if bytes.count >= OrderedMap.maximumKeyBytes {
                    if alike.isEmpty { beginning = Array(bytes) }
                    alike.append(key)
                    return true
                }
            }
            goesOn = try body(key)
            return goesOn
        }
        if goesOn { _ = try visitAlike(alike, notBefore: notBefore, body) }
    }

    private func visitAlike(
        _ keys: [ObjectKey], notBefore: Scalar?, _ body: (ObjectKey) throws -> Bool
    ) throws -> Bool {
        var ordered: [(value: [UInt8], key: ObjectKey)] = []
        for key in keys {
            guard case .bytes(let bytes) = try value(primaryKeyColumn!, of: key) else { continue }
            if case .bytes(let start) = notBefore, compare(bytes, start) < 0 { continue }
            ordered.append((Array(bytes), key))
        }
        ordered.sort { left, right in
            left.value.withUnsafeBytes { a in
                right.value.withUnsafeBytes { b in compare(a, b) < 0 }
            }
        }
        for entry in ordered where try !body(entry.key) { return false }
        return true
    }
}
