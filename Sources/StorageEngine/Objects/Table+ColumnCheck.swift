extension Table {
    /// What a change needs to know of a property; trivial, so that reading it costs no reference
    /// counting.
    struct ColumnCheck {
        /// What a change has to look after beside the row.
        enum Role {
            case plain, link, bytes, primaryKey
            /// A typed link or mixed value: a link to any table, or what owns pages.
            case referring
            case embedded
            /// One of these, and there is an index to keep up.
            case indexed
            /// One of these, and the change is to be recorded.
            case recorded
        }

        /// Of the values; a collection itself is bytes in the row.
        let format: RowFormat
        let kind: ColumnKind
        let allowsNull: Bool
        let isCollection: Bool
        let role: Role
        private(set) var isIndexed = false
        private(set) var isRecorded = false
        /// What `set` goes by: the role, `.indexed` or `.recorded`. So a value set costs no
        /// question while there is no index and nobody wants to know.
        private(set) var setting: Role
        let maximumBytes: Int

        init(_ definition: ColumnDefinition) {
            format = RowFormat(
                collection: definition.collection, type: definition.type,
                allowsNull: definition.allowsNull)
            isCollection = definition.collection != .none
            kind = isCollection ? .bytes : definition.type.columnKind
            // Collections are left out of an insertion, or given as null, and begin empty.
            allowsNull = isCollection || definition.allowsNull
            maximumBytes = definition.type.maximumBytes
            role =
                switch definition.type {
                case _ where definition.isPrimaryKey: .primaryKey
                case .link: .link
                case .embedded: .embedded
                case .typedLink, .mixed: .referring
                default: definition.type.columnKind == .bytes ? .bytes : .plain
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
