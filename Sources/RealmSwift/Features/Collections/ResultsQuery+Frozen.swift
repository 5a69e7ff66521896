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

    /// Returns what is known of the results. If that is not enough, `search` finds more with a
    /// query of the calling thread.
    private func found(
        in shared: Published<Found>, if isEnough: (Found) -> Bool, _ search: (ResultsQuery) -> Void
    ) -> Found {
        if let known = shared.read({ isEnough($0) ? $0 : nil }) ?? nil { return known }
        let own = searching()
        search(own)
        // A value that replaces another one knows what that knew. So few are made, although none is
        // freed.
        shared.update { known in
            guard let known else { return own.found }
            return isEnough(known) ? nil : known.joined(with: own.found)
        }
        return own.found
    }

    func count(in shared: Published<Found>) -> Int {
        let found = found(in: shared, if: { $0.totalCount != nil }) { _ = $0.count }
        return found.totalCount ?? 0
    }

    func keys(in shared: Published<Found>) -> PackedKeys {
        // The keys of a whole table are not kept.
        if isWholeTable { return searching().keys }
        let found = found(in: shared, if: { $0.keys != nil }) { _ = $0.keys }
        return found.keys ?? PackedKeys()
    }

    func hasFirst(in shared: Published<Found>) -> Bool {
        let found = found(in: shared, if: { $0.totalCount != nil || !$0.first.isEmpty }) {
            _ = $0.hasFirst
        }
        return !found.first.isEmpty || found.totalCount ?? 0 > 0
    }

    /// Returns the key of the object at a position. Stops the program if the position is invalid.
    func key(at position: Int, in shared: Published<Found>) -> Int64 {
        let needed = max(0, position) + 1
        let found = found(
            in: shared, if: { $0.keys != nil || $0.isFirstAll || $0.first.count >= needed }
        ) { own in
            own.forgetOutdated()
            if own.firstKeys(atLeast: needed) == nil { _ = own.keys }
        }
        let count = found.keys?.count ?? found.first.count
        if UInt(bitPattern: position) >= UInt(bitPattern: count) {
            return absentKey(at: position, upTo: count)
        }
        return (found.keys?[position] ?? found.first[position]).rawValue
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
