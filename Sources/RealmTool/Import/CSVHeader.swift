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

    init(
        _ names: [String], _ definition: TableDefinition, _ options: ImportOptions
    ) throws(DataProblem) {
        var seen: Set<String> = []
        columns = try names.map { column throws(DataProblem) in
            if column == "$key" { return .exportedKey }
            guard let name = options.property(for: column) else { return .ignored }
            if !seen.insert(name).inserted {
                throw DataProblem(
                    "The header names '\(CellText.shown(name, cut: true))' twice.", at: nil)
            }
            if let column = definition.columns.firstIndex(where: { $0.name == name }) {
                return .property(column)
            }
            if options.ignoresUnknown { return .ignored }
            throw DataProblem(Self.unknown(name, definition), at: nil)
        }
    }

    static func unknown(_ name: String, _ definition: TableDefinition) -> String {
        NameSuggestion.message(
            kind: "property of '\(definition.name)'", name: CellText.shown(name, cut: true),
            among: definition.columns.map(\.name)) + " --ignore-unknown leaves it out."
    }
}
