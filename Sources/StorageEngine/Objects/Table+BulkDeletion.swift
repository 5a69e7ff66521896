/// Deleting many objects at once.
///
/// Objects without referrers that hold neither links nor collections are *plain*. Deleting them
/// removes only their rows, primary keys, index entries and long values, which is done leaf by
/// leaf. The others are *tied* and are deleted one by one.
extension Table {
    /// Deletes objects in one pass over the leaves that hold them. `keys` may be in any order; keys
    /// without an object are ignored.
    ///
    /// - Throws: as ``delete(_:)``. The transaction can then only be rolled back.
    public func delete(_ keys: [ObjectKey]) throws(StorageError) {
        try requireWriteTransaction()
        var sorted = ContiguousArray(keys)
        let isSorted = zip(sorted, sorted.dropFirst()).allSatisfy { $0.rawValue < $1.rawValue }
        if !isSorted { sorted.sort { $0.rawValue < $1.rawValue } }
        var survey = DeletionSurvey(self)
        try sorted.withUnsafeBufferPointer { keys throws(StorageError) in try survey.visit(keys) }
        try deleteTied(survey, nil)
        // Leaf by leaf, which the next read of the table would not do.
        try removeDeletedRows(limitingMemory: true)
        // Before long values are freed and rows are removed: the indexes need the old values.
        try survey.plain.withUnsafeBufferPointer { keys throws(StorageError) in
            try indexes.remove(keys, of: self)
        }
        try free(survey.overflows)
        if primaryKeyColumn != nil {
            try PrimaryKeyMap.remove(
                &survey.primaryKeys, andNull: survey.removesNullKey, in: self)
        }
        try survey.plain.withUnsafeBufferPointer { keys throws(StorageError) in
            try rows.remove(keys, from: cluster)
        }
        if let recorder {
            for key in survey.plain { recorder.delete(key, inTable: index) }
        }
    }

    /// Deletes all objects. If they are plain, the trees are freed without looking at each object.
    /// Otherwise `progress` is called with the name of the table, how many of those that are not
    /// were deleted, and how many there are, each time some of them were.
    public func deleteAll(
        progress: ((_ table: String, _ position: Int, _ count: Int) -> Void)? = nil
    ) throws(StorageError) {
        try requireWriteTransaction()
        // Every deletion must be recorded if the database is observed.
        if recorder != nil { return try delete(allKeys()) }
        var survey = DeletionSurvey(self, keepsPlainKeys: false)
        try survey.visitAll()
        try deleteTied(survey, progress)
        try free(survey.overflows)
        forgetDeletedRows()
        try rows.removeAll()
        if primaryKeyColumn != nil { try PrimaryKeyMap.removeAll(in: self) }
        try indexes.removeAll()
    }

    private func allKeys() throws(StorageError) -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try forEachLeaf { leaf, _ in
            for row in 0..<leaf.rowCount { keys.append(leaf.objectKey(row)) }
            return true
        }
        return keys
    }

    /// Deletes the tied objects one by one. Some may be gone by then, because deleting an object
    /// also deletes what it owns.
    private func deleteTied(
        _ survey: DeletionSurvey, _ progress: ((String, Int, Int) -> Void)?
    ) throws(StorageError) {
        if survey.tied.count > 1 { try leaveCollections(survey.tied) }
        for (position, key) in survey.tied.enumerated() {
            if deletedRows.count >= connection.maximumDeletedRows - 1 {
                try removeDeletedRows(limitingMemory: true)
            }
            if try contains(key) { try delete(key) }
            if position % Self.progressBatch == 0 {
                progress?(stored.name, position, survey.tied.count)
            }
        }
    }

    /// The number of objects that are deleted between two calls that tell the progress.
    private static var progressBatch: Int { 1024 }

    private func free(_ overflows: [PageReference]) throws(StorageError) {
        for reference in overflows { try pager.free(reference) }
    }
}
