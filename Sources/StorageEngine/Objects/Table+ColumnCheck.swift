extension Table {
    /// What a change needs to know of a property. A trivial type, so that reading it counts no
    /// references.
    struct ColumnCheck {
        /// What a change has to update besides the row.
        enum Role {
            case plain, link, bytes, primaryKey
            /// A typed link or mixed value: may link to any table, or own pages.
            case referring
            case embedded
            /// Any of the cases above, for a property with an index to update.
            case indexed
            /// Any of the cases above, for a change that is to be recorded.
            case recorded
        }

        /// The format of the values. A collection itself is stored as bytes in the row.
        let format: RowFormat
        let kind: ColumnKind
        let allowsNull: Bool
        let isCollection: Bool
        let role: Role
        private(set) var isIndexed = false
        private(set) var isRecorded = false
        /// The role that `set` switches on: the property's own role, `.indexed` or `.recorded`. So
        /// setting a value costs no extra test while there is neither an index nor an observer.
        private(set) var setting: Role
        let maximumBytes: Int

        init(_ definition: ColumnDefinition) {
            format = RowFormat(
                collection: definition.collection, type: definition.type,
                allowsNull: definition.allowsNull)
            isCollection = definition.collection != .none
            kind = isCollection ? .bytes : definition.type.columnKind
            // An insertion omits collections or passes null for them; they start empty.
            allowsNull = isCollection || definition.allowsNull
            maximumBytes = definition.type.maximumBytes
            role =
                switch definition.type.traits.reference {
                case _ where definition.isPrimaryKey: .primaryKey
                case .key: .link
                case .ownedKey: .embedded
                case .typedLink, .mixed: .referring
                case .none: definition.type.columnKind == .bytes ? .bytes : .plain
                }
            setting = role
        }

        mutating func setIndexed(_ isIndexed: Bool) {
            self.isIndexed = isIndexed
            setting = isRecorded ? .recorded : roleWithIndex
        }

        mutating func setRecorded(_ isRecorded: Bool) {
            self.isRecorded = isRecorded
            setting = isRecorded ? .recorded : roleWithIndex
        }

        var roleWithIndex: Role { isIndexed ? .indexed : role }

        @inline(__always)
        func accepts(_ value: Scalar) -> Bool {
            switch (kind, value) {
            case (_, .null): allowsNull
            case (.bytes, .bytes(let bytes)):
                !isCollection && bytes.count <= maximumBytes
                    && (role != .referring || format.type.accepts(value))
            case (.integer, .integer): role != .embedded
            case (.fixed16, .fixed16): role != .referring || format.type.accepts(value)
            case (.double, .double), (.float, .float), (.fixed12, .fixed12): true
            default: false
            }
        }
    }
}
