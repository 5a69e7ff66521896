/// Recording what a write transaction changes, while the database is observed.
///
/// Without observers, the cost is one test per transaction.
extension Connection {
    func startRecording(with recorder: ChangeRecorder = ChangeRecorder()) { record(with: recorder) }

    /// Hands the recorded changes to the pager, which keeps them if the transaction becomes a
    /// version.
    func finishRecording() {
        guard let recorder else { return }
        if let changes = recorder.changes(newKeys: forest.newKeys(of: tables)) {
            pager.record(changes, by: identity)
        }
        stopRecording()
    }

    func stopRecording() {
        if recorder != nil { record(with: nil) }
    }

    private func record(with recorder: ChangeRecorder?) {
        self.recorder = recorder
        for table in tables { table.record(with: recorder) }
    }
}

extension Forest {
    /// The keys of the objects that this write transaction inserted, for each table. Tables that
    /// the transaction did not touch are not loaded.
    fileprivate func newKeys(of tables: [Table]) -> [Int: Range<Int64>] {
        var keys: [Int: Range<Int64>] = [:]
        for table in tables {
            let state = loadedState(table.cluster.treeID)
            if let state, state.loadedExtra < state.extra {
                keys[table.index] = state.loadedExtra..<state.extra
            }
        }
        return keys
    }
}

extension Table {
    /// Records that a property was set.
    func recordModification(_ column: Int, of key: ObjectKey) throws(StorageError) {
        guard let recorder, column < visibleCount, try !isNew(key) else { return }
        recorder.modify(key, columnID(column), inTable: index)
    }

    /// Whether the open write transaction inserted the object.
    fileprivate func isNew(_ key: ObjectKey) throws(StorageError) -> Bool {
        try key.rawValue >= state.pointee.loadedExtra
    }
}

extension CollectionHandle {
    /// Records that the collection was changed and has grown by `countDifference` elements.
    ///
    /// A change inside a mixed value counts as a change of the element, or the column, that
    /// contains it. It is recorded when that is written back.
    @inline(never)
    func record(
        countDifference: Int = 0, _ change: (inout CollectionChange) -> Void
    ) throws(StorageError) {
        guard path.isEmpty, let recorder = table.recorder, column < table.visibleCount,
            try !table.isNew(owner)
        else { return }
        recorder.change(
            CollectionPlace(owner: owner, column: table.columnID(column)), inTable: table.index,
            count: try stored().count() - countDifference, change)
    }
}
