import Glibc
import StorageEngine
import ToolSupport

/// A database file that a command has opened, without the classes of any program.
struct RealmFile {
    let path: String
    let connection: Connection

    var database: Database { connection.database }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - forWriting: whether the command writes. Otherwise it needs no right to write.
    ///   - creating: whether the file is made if there is none.
    static func open(
        _ path: String, key: [UInt8]?, forWriting: Bool = false, creating: Bool = false
    ) throws(ToolError) -> RealmFile {
        do throws(StorageError) {
            let database = try Database.open(
                path: path,
                options: .init(
                    createIfMissing: creating, readOnly: !forWriting, encryptionKey: key))
            if let warning = database.takeOpeningWarning() {
                Terminal.write("Warning: \(warning)\n", to: STDERR_FILENO)
            }
            return RealmFile(path: path, connection: try Connection(database))
        } catch {
            throw ToolError(error, isOfOpening: true, hasKey: key != nil)
        }
    }

    /// The table of a class.
    func table(_ className: String) throws -> Table {
        if let table = try connection.table(named: className) { return table }
        let names = try connection.tableDefinitions().map(\.name)
        guard !names.isEmpty else {
            throw ToolError(.usage, "'\(path)' has no classes.")
        }
        throw ToolError(
            .usage, NameSuggestion.message(kind: "class", name: className, among: names))
    }
}

extension Table {
    /// The position of a property.
    func column(named name: String) throws(ToolError) -> Int {
        if let column = definition.columns.firstIndex(where: { $0.name == name }) { return column }
        let names = definition.columns.map(\.name)
        throw ToolError(
            .usage,
            NameSuggestion.message(
                kind: "property of '\(definition.name)'", name: name, among: names))
    }

    /// The position of the primary key; nil without one.
    var primaryKey: Int? { definition.columns.firstIndex(where: \.isPrimaryKey) }
}
