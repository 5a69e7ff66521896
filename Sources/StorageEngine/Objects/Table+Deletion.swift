/// Deleting objects: links to them become null, lists and sets lose them, maps keep their keys with
/// null values, and objects owned by them are deleted as well.
extension Table {
    /// Deletes an object and the embedded objects that it owns. The object may itself be embedded;
    /// its owner then has none. To delete many objects, use ``delete(_:)-([ObjectKey])``.
    public func delete(_ key: ObjectKey) throws(StorageError) {
        try requireWriteTransaction()
        guard try contains(key) else { throw connection.pager.noSuchObject(key) }
        try detachReferrers(of: key)
        var owned: [TypedLink] = []
        try erase(key, &owned)
        if !owned.isEmpty { try connection.erase(owned) }
    }

    /// Removes all references to the object from the objects that refer to it.
    private func detachReferrers(of key: ObjectKey) throws(StorageError) {
        // Backlink columns come after all properties.
        for position in propertyCount..<stored.columns.count {
            let origins = try Backlinks.origins(position, key, in: self)
            if origins.isEmpty { continue }
            guard let mirrored = stored.columns[position].backlinks else { continue }
            // In one step for all referrers: `removeReferences` does not update backlinks.
            try Backlinks.forget(position, key, in: self)
            let table = connection.table(mirrored.originTable)
            for (origin, count) in origins where !planted(.leavesLinks) {
                try pager.limitMemory()
                try table.removeReferences(
                    mirrored.originColumn, of: origin,
                    to: .one(TypedLink(table: index, key: key), count: count))
            }
        }
    }

    /// Removes objects that are about to be deleted from the collections that hold several of them.
    /// Each collection is visited once, not once for each object.
    func leaveCollections(_ keys: [ObjectKey]) throws(StorageError) {
        for position in propertyCount..<stored.columns.count {
            guard let mirrored = stored.columns[position].backlinks else { continue }
            let table = connection.table(mirrored.originTable)
            let format = table.checks[mirrored.originColumn].format
            guard format.collection != .none || format.type == .mixed else { continue }
            var holders: [(origin: ObjectKey, target: ObjectKey, count: Int)] = []
            for key in keys {
                let origins = try Backlinks.origins(position, key, in: self)
                if origins.isEmpty { continue }
                try Backlinks.forget(position, key, in: self)
                for (origin, count) in origins { holders.append((origin, key, count)) }
            }
            holders.sort {
                ($0.origin.rawValue, $0.target.rawValue) < ($1.origin.rawValue, $1.target.rawValue)
            }
            var rest = holders[...]
            while let origin = rest.first?.origin, !planted(.leavesLinks) {
                try pager.limitMemory()
                let some = rest.prefix { $0.origin == origin }
                let targets = some.map { TypedLink(table: index, key: $0.target) }
                if targets.count > CollectionHandle.fewTargets {
                    try table.removeReferences(
                        mirrored.originColumn, of: origin, to: .many(Set(targets)))
                } else {
                    for (target, holder) in zip(targets, some) {
                        try table.removeReferences(
                            mirrored.originColumn, of: origin,
                            to: .one(target, count: holder.count))
                    }
                }
                rest = rest.dropFirst(targets.count)
            }
        }
    }

    /// Removes references in `origin` to targets whose backlinks are removed already.
    private func removeReferences(
        _ column: Int, of origin: ObjectKey, to targets: ForgottenTargets
    ) throws(StorageError) {
        let format = checks[column].format
        if format.collection != .none {
            return try collection(column, of: origin, kind: format.collection).forget(targets)
        }
        let value = try value(column, of: origin)
        if let nested = try nestedCollection(column, of: origin) {
            try nested.forget(targets)
        } else if let target = self.target(column, value), targets.contains(target) {
            try store(.init(scalar: .null), column, of: origin)
            try recordModification(column, of: origin)
        }
    }

    /// Erases an object without referrers, and appends the embedded objects it owned to `owned`.
    func erase(_ key: ObjectKey, _ owned: inout [TypedLink]) throws(StorageError) {
        // First, while the object's values can still be read: long ones are freed with the columns.
        if primaryKeyColumn != nil, !planted(.leavesPrimaryKeys) {
            try PrimaryKeyMap.remove(of: key, in: self)
        }
        if !planted(.leavesIndexEntries) { try indexes.remove(key, of: self) }
        for column in 0..<propertyCount { try releaseValue(column, of: key, collecting: &owned) }
        try rows.remove(key, from: cluster)
        recorder?.delete(key, inTable: index)
    }

    private func releaseValue(_ column: Int, of key: ObjectKey, collecting owned: inout [TypedLink])
        throws(StorageError)
    {
        let check = checks[column]
        guard check.kind == .bytes || check.format.type.mayRefer else { return }
        var released = ReleasedValues()
        if check.isCollection {
            try released.add(
                try collection(column, of: key, kind: check.format.collection).stored(), self,
                column: column)
        } else {
            if check.format.type.mayRefer {
                try released.add(try value(column, of: key), self, column: column)
            }
            if check.kind == .bytes { try freeOverflow(column, of: key) }
        }
        for target in released.targets where !planted(.leavesBacklinks) {
            try backlinks.remove(column, from: key, to: target)
        }
        if check.format.type == .embedded { owned += released.targets }
    }
}

extension Connection {
    /// Erases objects without referrers, and everything they own. Iterative rather than recursive,
    /// because embedded objects may own each other in chains of any length.
    func erase(_ objects: [TypedLink]) throws(StorageError) {
        var doomed = objects
        while let next = doomed.popLast() {
            try table(next.table).erase(next.key, &doomed)
        }
    }
}
