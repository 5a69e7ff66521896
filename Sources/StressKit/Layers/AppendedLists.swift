import StorageEngine
import StressModel

/// The lists shared by appenders: one object for each list, in the order of their numbers.
struct AppendedLists {
    private static let name = "List"
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    static func create(_ count: Int, on connection: Connection) throws {
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: name,
                columns: [ColumnDefinition(name: "values", type: .int, collection: .list)])
        ])
        for _ in 0..<count { _ = try connection.table(named: name)!.insert([.null]) }
        try connection.commit()
    }

    private func list(_ number: Int) throws -> ListHandle {
        guard let table = try connection.table(named: Self.name) else {
            throw Finding(.wrongState, "the table of lists is gone.")
        }
        return table.list(0, of: try table.key(at: number))
    }

    func values(_ number: Int) throws -> [Int64] {
        var values: [Int64] = []
        // swift-format-ignore: ReplaceForEachWithForLoop
        try list(number).forEach {
            if case .integer(let value) = $0 { values.append(value) }
            return true
        }
        return values
    }

    func append(_ value: Int64, to number: Int) throws {
        let list = try list(number)
        try list.insert(.integer(value), at: list.count())
    }
}
