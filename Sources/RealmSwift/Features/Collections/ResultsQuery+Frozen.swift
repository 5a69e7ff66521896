import StorageEngine

/// Results of a frozen Realm, which any number of threads use at once.
///
/// A search changes what a query and its plans keep. So it is made by a copy of the query that
/// belongs to the calling thread, and what it finds is published. If two threads search at the same
/// time, one result is kept.
extension ResultsQuery {
    /// Returns the same query with plans of its own, for a search by the calling thread.
    func searching() -> ResultsQuery {
        guard let table = managedClass.table else {
            return ResultsQuery(
                managedClass, isDecoded: isDecoded, from: .nothing, isSearching: true)
        }
        return ResultsQuery(
            managedClass, isDecoded: isDecoded, from: origin,
            operations: attempt { try operations.map { try $0.moved(to: table) } },
            isSearching: true)
    }

    /// Returns what `answer` takes from what is known of the results. If that is not enough, for
    /// which it returns nil, `search` finds more with a query of the calling thread.
    ///
    /// What is known is not copied, because all threads would count references to it.
    private func find<Answer>(
        in shared: Published<Found>, _ answer: (Found) -> Answer?,
        searching search: (ResultsQuery) -> Void
    ) -> Answer? {
        if let known = shared.read(answer) ?? nil { return known }
        let own = searching()
        realm.connection.searching { search(own) }
        // A value that replaces another one knows what that knew. So few are made, although none is
        // freed.
        shared.update { known in
            guard let known else { return own.found }
            return answer(known) != nil ? nil : known.joined(with: own.found)
        }
        return answer(own.found)
    }

    func count(in shared: Published<Found>) -> Int {
        find(in: shared, { $0.totalCount }, searching: { _ = $0.count }) ?? 0
    }

    func keys(in shared: Published<Found>) -> PackedKeys {
        find(in: shared, { $0.keys }, searching: { _ = $0.keys }) ?? PackedKeys()
    }

    func hasFirst(in shared: Published<Found>) -> Bool {
        let hasFirst = find(
            in: shared, { $0.first.isEmpty ? $0.totalCount.map { $0 > 0 } : true },
            searching: { _ = $0.hasFirst })
        return hasFirst ?? false
    }

    /// Returns the key of the object at a position. Stops the program if the position is invalid.
    func key(at position: Int, in shared: Published<Found>) -> Int64 {
        let answer = find(in: shared, { $0.key(at: position) }) { own in
            own.forgetOutdated()
            if own.firstKeys(atLeast: max(0, position) + 1) == nil { _ = own.keys }
        }
        switch answer {
        case .key(let key)?: return key
        case .beyond(let count)?: return absentKey(at: position, upTo: count)
        case nil: return absentKey(at: position, upTo: 0)
        }
    }

    /// Returns the object at a valid position of a whole table.
    func frozenObject(at position: Int) -> ObjectBase {
        let table = managedClass.existingTable
        let location = attempt { try table.location(at: position) }
        let object = managedClass.makeUnplaced(key: table.key(at: location).rawValue)
        object._place(at: location, stamp: .max)
        return object
    }
}

extension ResultsQuery.Found {
    fileprivate enum KeyAtPosition {
        case key(Int64)
        /// There are no more objects than this.
        case beyond(Int)
    }

    /// Returns the key of the object at a position; nil if more has to be searched for it.
    fileprivate func key(at position: Int) -> KeyAtPosition? {
        if let keys {
            let isThere = UInt(bitPattern: position) < UInt(bitPattern: keys.count)
            return isThere ? .key(keys[position].rawValue) : .beyond(keys.count)
        }
        if first.indices.contains(position) { return .key(first[position].rawValue) }
        // Also for a negative position, at which no object is.
        return isFirstAll || position < 0 ? .beyond(totalCount ?? first.count) : nil
    }
}
