/// Roots in the commit record. A file with few trees needs no page for its roots.
///
/// The record lists each tree that has a root or a number to keep, in ascending order of ids, as
/// variable-length integers: the difference to the id before, page and birth of the root, level,
/// count, `extra`. Once they do not fit, all roots move to the tree of roots and stay there.
extension Forest {
    /// Ids from here on are kept in the tree of roots only, because the states in memory are
    /// indexed by id.
    private static let idLimit: UInt64 = 4096

    /// Loads all roots of the commit record, unless they are loaded already.
    func loadInlineRoots() throws(StorageError) {
        if hasLoadedInlineRoots { return }
        try pager.inlineRoots.withBytes { bytes throws(StorageError) in
            var reader = VariableLengthIntegerReader(bytes)
            var id: UInt64 = 0
            while reader.remaining > 0 {
                id = try loadInlineRoot(after: id, from: &reader)
            }
        }
        hasLoadedInlineRoots = true
    }

    /// Loads the next root and returns the id of its tree.
    private func loadInlineRoot(
        after previous: UInt64, from reader: inout VariableLengthIntegerReader
    ) throws(StorageError) -> UInt64 {
        guard let distance = reader.next(), distance >= 1, distance < Self.idLimit - previous,
            let page = reader.next(), let birth = reader.next(), let level = reader.next(),
            let count = reader.next(), let extra = reader.next()
        else { throw pager.damaged(0, "the roots in the commit record make no sense") }
        let id = previous + distance
        setLoaded(
            UInt32(id),
            try stored(
                UInt32(id), PageReference(page: page, birth: birth),
                level: Int64(bitPattern: level), count: Int64(bitPattern: count),
                extra: Int64(bitPattern: extra), newestBirth: pager.version))
        return id
    }

    /// The ids of the trees whose roots are in the commit record.
    func inlineRootIDs() throws(StorageError) -> [UInt32] {
        guard pager.root.isNone else { return [] }
        try loadInlineRoots()
        return (0..<loadedEnd).filter { !states[$0].root.reference.isNone }.map { UInt32($0) }
    }

    /// Puts all roots into the record of the open transaction if one has changed. Returns false if
    /// they do not fit; all of them must then be written to the tree of roots.
    func flushInlineRoots() throws(StorageError) -> Bool {
        guard (0..<loadedEnd).contains(where: { states[$0].isDirty }) else { return true }
        try loadInlineRoots()
        let encoded = encodedRoots()
        pager.inlineRoots = encoded ?? []
        for id in 0..<loadedEnd { states[id].isDirty = encoded == nil && isStored(id) }
        return encoded != nil
    }

    /// All roots as they are encoded in the record; nil if they do not fit.
    private func encodedRoots() -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(CommitRecord.inlineRootsCapacity)
        var previous = 0
        for id in 0..<loadedEnd where isStored(id) {
            let (root, extra) = (states[id].root, states[id].extra)
            VariableLengthInteger.append(UInt64(id - previous), to: &bytes)
            VariableLengthInteger.append(root.reference.page, to: &bytes)
            VariableLengthInteger.append(root.reference.birth, to: &bytes)
            VariableLengthInteger.append(UInt64(root.level), to: &bytes)
            VariableLengthInteger.append(UInt64(root.count), to: &bytes)
            VariableLengthInteger.append(UInt64(extra), to: &bytes)
            previous = id
            guard bytes.count <= CommitRecord.inlineRootsCapacity, id < Self.idLimit else {
                return nil
            }
        }
        return bytes
    }

    private func isStored(_ id: Int) -> Bool {
        !states[id].root.reference.isNone || states[id].extra != 0
    }
}
