/// What a tree of a table is for.
enum TreeRole {
    case objects
    case primaryKeys
    /// Of the index of a property: its values, and its objects without one.
    case indexValues(column: Int)
    case indexNulls(column: Int)
    /// References to targets that have several, of a backlink column.
    case backlinks(column: Int)
}

/// The trees that a table consists of, as far as their roots are in the forest. (Those of long
/// collections are in their owners' rows.)
///
/// Whatever has to reach all of them asks here: copies, moving pages from the end of the file,
/// looking for numbers that are free. Verification reports a tree of the forest that is not here.
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
    /// The ordered map that a tree is, and who writes it; nil for the objects.
    func map(of role: TreeRole) -> (map: OrderedMap, writer: TreeWriter)? {
        switch role {
        case .objects: nil
        case .primaryKeys: (primaryKeyMap, primaryKeyWriter)
        case .indexValues(let column): (index(of: column)!.map, quietWriter)
        case .indexNulls: (ColumnIndex.nullMap, quietWriter)
        case .backlinks: (Table.severalMap, quietWriter)
        }
    }
}
