/// Deleting objects: links to them become null, lists lose them, and what they own is freed.
extension Table {
    /// Deletes an object. Many at once: ``delete(_:)-([ObjectKey])``.
    public func delete(_ key: ObjectKey) throws {
        try requireWriteTransaction()
        guard try contains(key) else { throw connection.pager.noSuchObject(key) }
        try detachReferrers(of: key)
        // While its value can still be read: a long one goes with the others.
        try removePrimaryKey(of: key)
        try releaseValues(of: key)
        let state = try state
        state.pointee.isDirty = true
        try cluster.remove(clusterWriter, &state.pointee.root, key)
    }

    /// Everybody who refers to the object stops doing so.
    private func detachReferrers(of key: ObjectKey) throws {
        for position in stored.columns.indices {
            guard let backlinks = stored.columns[position].backlinks else { continue }
            let origins = try self.backlinks(position, key)
            if origins.isEmpty { continue }
            try forgetBacklinks(position, key)
            let table = connection.table(backlinks.originTable)
            for origin in origins {
                try table.removeReferences(
                    backlinks.originColumn, of: origin, to: key)
            }
        }
    }

    /// Removes what `origin` holds of a target whose backlinks are forgotten already.
    private func removeReferences(_ column: Int, of origin: ObjectKey, to target: ObjectKey) throws
    {
        guard stored.columns[column].isList else {
            return try store(.init(scalar: .null), column, of: origin)
        }
        try list(column, of: origin).removeForgotten(target)
    }

    /// Drops the object's own links, lists and long values.
    private func releaseValues(of key: ObjectKey) throws {
        for column in stored.columns.indices {
            guard let definition = stored.columns[column].definition else { break }
            if definition.collection == .list {
                try list(column, of: key).release()
            } else if definition.type == .link {
                if case .integer(let target) = try value(column, of: key) {
                    try removeBacklink(column, from: key, to: ObjectKey(rawValue: target))
                }
            } else if stored.columns[column].kind == .bytes {
                try freeOverflow(column, of: key)
            }
        }
    }
}
