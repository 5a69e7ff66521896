import ToolSupport

/// One row of a file of a run as reports use it, from a run that has just ended or from files.
/// Columns that an older file lacks are empty.
struct RunRow: Sendable {
    private let record: CSVRow

    init(_ record: CSVRow) { self.record = record }

    init(_ result: CaseResult, context: RunContext) {
        record = CSVRow(
            header: ColumnCatalogue.header,
            fields: ColumnCatalogue.fields(of: result, context: context))
    }

    subscript(_ column: String) -> String { record[column] }

    /// Returns a number; nil if it was not measured.
    func number(_ column: String) -> Double? { record.number(column) }

    /// Returns a field that rows must have. Throws `notComparable` if there is no such column.
    func required(_ column: String) throws -> String {
        guard record.hasColumn(column) else {
            throw BenchmarkError(.notComparable, "The column '\(column)' is missing.")
        }
        return record[column]
    }

    var identifier: String { self["case_id"] }
    /// The name that is unique within a run; cases of a sweep may share their identifier.
    var name: String { self["sweep"].isEmpty ? identifier : "\(identifier) \(self["sweep"])" }
    var workload: String { self["workload"] }
    var strategy: String { self["strategy"] }
    var engine: String { self["engine"] }
    var layer: String { self["layer"] }
    var durability: String { self["durability"] }
    var isEncrypted: Bool { self["encrypted"] == "true" }
    var size: Int { Int(self["size_objects"]) ?? 0 }
    var status: String { self["status"] }
    var isControl: Bool { engine == "control" }
    var hasRun: Bool { status == CaseResult.Status.ok.rawValue }
    var throughput: Double? { hasRun ? number("throughput_ops_per_s") : nil }

    /// The strategy; empty if it only repeats the layer.
    var ownStrategy: String {
        EngineLayer(rawValue: strategy) == nil ? strategy : ""
    }

    /// Returns the label that distinguishes the row from others of its workload.
    func label(showsEngine: Bool, showsSize: Bool, showsDurability: Bool) -> String {
        var parts = [strategy]
        if showsEngine, !isControl { parts.append(engine) }
        if showsSize { parts.append(Display.grouped(size)) }
        if showsDurability { parts.append(durability) }
        if isEncrypted { parts.append("encrypted") }
        if !self["sweep"].isEmpty { parts.append(self["sweep"]) }
        return parts.joined(separator: " · ")
    }
}

extension [RunRow] {
    /// The rows grouped by workload, in the order in which workloads first appear.
    var byWorkload: [(workload: String, rows: [RunRow])] {
        var order: [String] = []
        for row in self where !order.contains(row.workload) { order.append(row.workload) }
        let groups = Dictionary(grouping: self, by: \.workload)
        return order.map { ($0, groups[$0] ?? []) }
    }

    /// The shortest labels that distinguish these rows from each other.
    var labels: [String] {
        let showsEngine = Set(filter { !$0.isControl }.map(\.engine)).count > 1
        let showsSize = Set(map(\.size)).count > 1
        let showsDurability = Set(map(\.durability)).count > 1
        return map {
            $0.label(
                showsEngine: showsEngine, showsSize: showsSize, showsDurability: showsDurability)
        }
    }
}
