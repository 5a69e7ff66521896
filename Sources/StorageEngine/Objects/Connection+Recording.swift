/// Recording what a write transaction does, while somebody observes the database.
///
/// Costs one question per transaction as long as nobody does.
extension Connection {
    func startRecording(with recorder: ChangeRecorder = ChangeRecorder()) { record(with: recorder) }

    /// Hands the transaction's record to the pager, which keeps it if the transaction becomes a
    /// version.
    func finishRecording() {
        guard let recorder else { return }
        pager.changesToRecord = recorder.changes(newKeys: forest.newKeys(of: tables))
            .map { (identity, $0) }
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
    /// For each table the keys of the objects that this write transaction inserted. Tables that it
    /// did not touch are not loaded.
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
    /// A property was set.
    func recordModification(_ column: Int, of key: ObjectKey) throws {
        guard let recorder, try !isNew(key) else { return }
        recorder.modify(key, columnID(column), inTable: index)
    }

    /// Whether the open write transaction has inserted the object.
    fileprivate func isNew(_ key: ObjectKey) throws -> Bool {
        try key.rawValue >= state.pointee.loadedExtra
    }
}

extension CollectionHandle {
    /// The collection was changed. `countDifference`: by how many elements it has grown.
    ///
    /// A collection inside a mixed value is one element of what it lies in, or a column: writing it
    /// back records that.
    @inline(never)
    func record(
        countDifference: Int = 0, _ change: (inout CollectionChange) -> Void
    ) throws {
        guard path.isEmpty, let recorder = table.recorder, try !table.isNew(owner) else { return }
        recorder.change(
            CollectionPlace(owner: owner, column: table.columnID(column)), inTable: table.index,
            count: try stored().count() - countDifference, change)
    }
}
