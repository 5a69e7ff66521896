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
        if !creating { try checkSignature(path) }
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

    /// The bytes with which every database file begins (docs/design.md). A file that is being
    /// created consists of zeros before.
    static let signature: [UInt8] = [0x89, 0x52, 0x4C, 0x4D, 0x53, 0x0D, 0x0A, 0x1A]

    /// Throws a usage error for a file that is none of a database. Opening it would say the same,
    /// but leave a file `.lock` beside it first.
    static func checkSignature(_ path: String) throws(ToolError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        // Why a file cannot be opened is said by the engine.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: signature.count)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0, bytes != signature, bytes.contains(where: { $0 != 0 }) else { return }
        throw ToolError(.usage, "'\(path)' is no Realm file of this library.")
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
