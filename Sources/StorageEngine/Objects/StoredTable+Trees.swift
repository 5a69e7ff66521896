/// The purpose of a tree of a table.
enum TreeRole {
    case objects
    case primaryKeys
    /// The index of a property: its values.
    case indexValues(column: Int)
    /// The index of a property: the objects without a value.
    case indexNulls(column: Int)
    /// References to targets that have several, for a backlink column.
    case backlinks(column: Int)
}

/// The trees that a table consists of, as far as their roots are in the forest. The roots of long
/// collections are in their owners' rows instead.
///
/// Everything that has to reach all trees uses this list: copying, moving pages away from the end
/// of the file, and finding unused tree ids. Verification reports a tree of the forest that is not
/// listed here.
extension StoredTable {
    var trees: [(id: UInt32, role: TreeRole)] {
        var trees: [(id: UInt32, role: TreeRole)] = [(clusterTreeID, .objects)]
        if primaryKeyColumn != nil { trees.append((primaryKeyTreeID, .primaryKeys)) }
        for (position, column) in columns.enumerated() {
            if let index = column.index {
                trees.append((index.values, .indexValues(column: position)))
                if index.nulls != 0 { trees.append((index.nulls, .indexNulls(column: position))) }
            }
            if let backlinks = column.backlinks {
                trees.append((backlinks.severalTreeID, .backlinks(column: position)))
            }
        }
        return trees
    }
}

extension Table {
    /// The ordered map that is stored in a tree, and its writer; nil for the tree of objects.
    func map(of role: TreeRole) -> (map: OrderedMap, writer: TreeWriter)? {
        switch role {
        case .objects: nil
        case .primaryKeys: (primaryKeys.map, primaryKeys.writer)
        case .indexValues(let column): (index(of: column)!.map, quietWriter)
        case .indexNulls: (ColumnIndex.nullMap, quietWriter)
        case .backlinks: (Backlinks.severalMap, quietWriter)
        }
    }
}
