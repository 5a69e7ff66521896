import StorageEngine

/// The tables of the stress workload.
package enum StressSchema {
    static let progress = "Progress"
    static let account = "Account"
    static let event = "Event"
    /// Table that only bystanders write, not the workload. It is not part of the digest.
    package static let bystander = "Bystander"

    enum AccountColumn {
        static let balance = 2
        static let note = 3
        static let friend = 4
        static let history = 5
        static let marks = 6
        static let facts = 7
    }

    static let definitions = [
        TableDefinition(
            name: progress, columns: [ColumnDefinition(name: "transactions", type: .int)]),
        TableDefinition(
            name: account,
            columns: [
                ColumnDefinition(name: "id", type: .int, isPrimaryKey: true),
                ColumnDefinition(name: "name", type: .string),
                ColumnDefinition(name: "balance", type: .int, isIndexed: true),
                ColumnDefinition(name: "note", type: .data, isOptional: true),
                ColumnDefinition(
                    name: "friend", type: .link, isOptional: true, linkTarget: account),
                ColumnDefinition(
                    name: "history", type: .link, collection: .list, linkTarget: event),
                ColumnDefinition(name: "marks", type: .int, collection: .set),
                ColumnDefinition(name: "facts", type: .int, collection: .map),
            ]),
        TableDefinition(
            name: event,
            columns: [
                ColumnDefinition(name: "tag", type: .string, isPrimaryKey: true),
                ColumnDefinition(name: "time", type: .date),
            ]),
        TableDefinition(
            name: bystander, columns: [ColumnDefinition(name: "count", type: .int)]),
    ]
}
