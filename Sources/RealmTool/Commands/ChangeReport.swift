import Foundation
import StorageEngine
import ToolSupport

/// A change set as text or JSON.
final class ChangeReport {
    private let observation: ChangeObservation
    private let classes: Set<String>?
    private let limit: Int
    private let before: ObjectText
    private let after: ObjectText
    private let scratch = ByteOutput()

    /// - Parameters:
    ///   - classes: nil for all.
    ///   - limit: the most objects of a class that are shown.
    init(_ observation: ChangeObservation, classes: Set<String>?, limit: Int) {
        self.observation = observation
        self.classes = classes
        self.limit = limit
        before = ObjectText(observation.previous)
        after = ObjectText(observation.connection)
    }

    /// The changes of a class, with what is needed to show them.
    private struct Changes {
        let table: Table
        let changes: TableChanges
        let properties: [ObjectText.Property]
        /// Nil for a class that the older version does not have.
        let oldTable: Table?
        let oldProperties: [ObjectText.Property]
    }

    private func changes() throws -> [Changes] {
        let set = try observation.changes()
        return try set.tables.keys.sorted().compactMap { number in
            guard let changes = set[table: number],
                let table = try observation.connection.table(number: number),
                classes?.contains(table.definition.name) ?? true
            else { return nil }
            let oldTable = try observation.previous.table(number: number)
            return Changes(
                table: table, changes: changes, properties: try after.properties(of: table),
                oldTable: oldTable,
                oldProperties: try oldTable.map { try before.properties(of: $0) } ?? [])
        }
    }

    private static func time() -> String {
        let output = ByteOutput()
        let now = (Date().timeIntervalSinceReferenceDate * 1000).rounded() / 1000
        DateText.append(now, to: output)
        return output.takeText()
    }

    // MARK: Text

    /// Appends the changes since the version of the observation. Returns false if there are none.
    func appendText(to output: ByteOutput) throws -> Bool {
        let all = try changes()
        if all.isEmpty { return false }
        output.append(text: "\(Self.time())  version \(observation.connection.version)\n")
        for item in all {
            let set = item.changes
            var counts: [String] = []
            for (count, verb) in [
                (set.insertions.count, "inserted"), (set.modifications.count, "modified"),
                (set.deletions.count, "deleted"),
            ] where count > 0 { counts.append("\(Display.grouped(count)) \(verb)") }
            let name = CellText.shown(item.table.definition.name, cut: false)
            output.append(text: "  \(name)  \(counts.joined(separator: ", "))\n")
            try appendObjects(of: item, to: output)
        }
        return true
    }

    private func appendObjects(of item: Changes, to output: ByteOutput) throws {
        var shown = 0
        for key in item.changes.insertions.keys.prefix(limit) {
            guard let location = try item.table.location(of: key) else { continue }
            let values = try item.properties.map {
                "\($0.definition.name): \(try text($0, item.table, location, after))"
            }
            output.append(text: "    + \(values.joined(separator: "  "))\n")
            shown += 1
        }
        for (key, columns) in item.changes.modifications.objects.prefix(limit - shown) {
            output.append(text: "    ~ \(try modification(key, columns, of: item))\n")
            shown += 1
        }
        for key in item.changes.deletions.keys.prefix(limit - shown) {
            output.append(text: "    - \(try name(key, item.oldTable, before))\n")
            shown += 1
        }
        let rest =
            item.changes.insertions.count + item.changes.modifications.count
            + item.changes.deletions.count - shown
        if rest > 0 { output.append(text: "    … and \(Display.grouped(rest)) more\n") }
    }

    private func modification(
        _ key: ObjectKey, _ columns: ColumnSet, of item: Changes
    ) throws -> String {
        var parts = [try name(key, item.table, after)]
        let location = try item.table.location(of: key)
        let oldLocation = try item.oldTable?.location(of: key)
        for property in item.properties where columns.contains(item.table.columnID(property.column))
        {
            let new = try location.map { try text(property, item.table, $0, after) } ?? "?"
            var old = "?"
            if let oldTable = item.oldTable, let oldLocation,
                let oldProperty = item.oldProperties.first(where: {
                    $0.definition.name == property.definition.name
                })
            {
                old = try text(oldProperty, oldTable, oldLocation, before)
            }
            parts.append("\(property.definition.name): \(old) → \(new)")
        }
        return parts.joined(separator: "  ")
    }

    private func text(
        _ property: ObjectText.Property, _ table: Table, _ location: RowLocation,
        _ objects: ObjectText
    ) throws -> String {
        scratch.clear()
        try objects.append(property, of: table, at: location, to: scratch)
        return CellText.shown(scratch.bytes, cut: true)
    }

    /// The primary key of an object, or its key.
    private func name(_ key: ObjectKey, _ table: Table?, _ objects: ObjectText) throws -> String {
        guard let table, let column = table.primaryKey,
            let location = try table.location(of: key)
        else { return "$key: \(key.rawValue)" }
        let property = try objects.properties(
            of: table, named: [table.definition.columns[column].name])[0]
        return "\(property.definition.name): \(try text(property, table, location, objects))"
    }

    // MARK: JSON

    /// Appends the changes as one line. Returns false if there are none.
    func appendJSON(to output: ByteOutput) throws -> Bool {
        let all = try changes()
        if all.isEmpty { return false }
        output.append("{\"version\":")
        output.append(text: "\(observation.connection.version),\"time\":\"\(Self.time())\",")
        output.append("\"changes\":[")
        for (index, item) in all.enumerated() {
            if index > 0 { output.append(",") }
            try appendJSON(item, to: output)
        }
        output.append("]}\n")
        return true
    }

    private func appendJSON(_ item: Changes, to output: ByteOutput) throws {
        output.append("{\"class\":")
        JSONText.append(string: item.table.definition.name, to: output)
        let set = item.changes
        output.append(
            text: ",\"inserted\":\(set.insertions.count),\"modified\":\(set.modifications.count),"
                + "\"deleted\":\(set.deletions.count),\"objects\":[")
        var shown = 0
        for key in set.insertions.keys.prefix(limit) {
            begin("inserted", key, &shown, output)
            if let location = try item.table.location(of: key) {
                output.append(",\"new\":{")
                try after.appendMembers(
                    item.properties, of: item.table, at: location, to: output)
                output.append("}")
            }
            output.append("}")
        }
        for (key, columns) in set.modifications.objects.prefix(limit - shown) {
            begin("modified", key, &shown, output)
            let changed = item.properties.filter {
                columns.contains(item.table.columnID($0.column))
            }
            let names = Set(changed.map(\.definition.name))
            if let table = item.oldTable, let location = try table.location(of: key) {
                let old = item.oldProperties.filter { names.contains($0.definition.name) }
                output.append(",\"old\":{")
                try before.appendMembers(old, of: table, at: location, to: output)
                output.append("}")
            }
            if let location = try item.table.location(of: key) {
                output.append(",\"new\":{")
                try after.appendMembers(changed, of: item.table, at: location, to: output)
                output.append("}")
            }
            output.append("}")
        }
        for key in set.deletions.keys.prefix(limit - shown) {
            begin("deleted", key, &shown, output)
            if let table = item.oldTable, let location = try table.location(of: key) {
                output.append(",\"old\":{")
                try before.appendMembers(
                    item.oldProperties, of: table, at: location, to: output)
                output.append("}")
            }
            output.append("}")
        }
        output.append("]}")
    }

    private func begin(
        _ change: StaticString, _ key: ObjectKey, _ shown: inout Int, _ output: ByteOutput
    ) {
        if shown > 0 { output.append(",") }
        shown += 1
        output.append("{\"change\":\"")
        output.append(change)
        output.append("\",\"key\":")
        output.append(decimal: key.rawValue)
    }
}
