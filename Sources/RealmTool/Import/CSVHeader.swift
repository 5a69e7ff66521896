import StorageEngine
import ToolSupport

/// Which property each field of CSV is for.
struct CSVHeader {
    enum Column: Equatable {
        case property(Int)
        /// The key that the object has in the file it was exported from.
        case exportedKey
        case ignored
    }

    let columns: [Column]

    /// - Parameter isLenient: whether names without a property are ignored.
    init(
        _ names: [String], _ definition: TableDefinition, ignoring isLenient: Bool
    ) throws(DataProblem) {
        var seen: Set<String> = []
        columns = try names.map { name throws(DataProblem) in
            if !seen.insert(name).inserted {
                throw DataProblem(
                    "The header names '\(CellText.shown(name, cut: true))' twice.", at: nil)
            }
            if name == "$key" { return .exportedKey }
            if let column = definition.columns.firstIndex(where: { $0.name == name }) {
                return .property(column)
            }
            if isLenient { return .ignored }
            throw DataProblem(Self.unknown(name, definition), at: nil)
        }
    }

    static func unknown(_ name: String, _ definition: TableDefinition) -> String {
        NameSuggestion.message(
            kind: "property of '\(definition.name)'", name: CellText.shown(name, cut: true),
            among: definition.columns.map(\.name)) + " --ignore-unknown leaves it out."
    }
}
