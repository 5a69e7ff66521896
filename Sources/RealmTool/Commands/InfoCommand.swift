import ArgumentParser
import Foundation
import StorageEngine
import ToolSupport

/// The command `realm info`.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Tells what is in a file: classes, counts, sizes, free space, readers.",
        discussion: """
            The size of a property is that of its values, with long values and collections that \
            have pages of their own; below the properties come the order of primary keys, what \
            says which objects link here, and what the tree of objects takes besides. All leaves \
            are read for that: --fast leaves it out.

            live     reachable from the newest version
            free     free for the next commit
            waiting  no longer live, but reachable from a version that a reader has pinned
                     ('realm pins' explains the columns below)
            other    the header, and the records of the last commits

            EXAMPLES
              realm info people.realm
              realm info people.realm --fast
              realm info people.realm --format json | jq '.classes[] | {name, objects}'
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument { case text, json }

    @Argument(help: ArgumentHelp("The database file.", valueName: "file"))
    var file: String

    @Option(help: "For people, or for programs.")
    var format = Format.text

    @Flag(help: "Only what needs no walk over the objects: no sizes.")
    var fast = false

    @OptionGroup var key: KeyOptions

    func run() throws {
        let report = try InfoReport(file, key: key.key(), measuresClasses: !fast)
        let output = ByteOutput.standard
        switch format {
        case .text: for line in report.lines() { output.append(text: line + "\n") }
        case .json: output.append(text: try report.json())
        }
        try output.finish()
    }
}

/// What `realm info` tells.
struct InfoReport {
    struct ClassInfo {
        let definition: TableDefinition
        let objects: Int
        /// Nil if it was not measured.
        let storage: TableStorage?
    }

    let path: String
    let formatVersion: Int
    let isEncrypted: Bool
    let isReadOnly: Bool
    let schemaVersion: UInt64?
    let statistics: Database.Statistics
    let classes: [ClassInfo]

    init(_ path: String, key: [UInt8]?, measuresClasses: Bool) throws {
        self.path = path
        // Whoever may not write to the file learns everything but what is free.
        let mayWrite = access(path, W_OK) == 0
        let opened = try RealmFile.open(path, key: key, forWriting: mayWrite)
        isReadOnly = !mayWrite
        formatVersion = opened.database.formatVersion
        isEncrypted = opened.database.isEncrypted
        // Before the classes are read: those who read this file are others.
        let own = opened.connection
        own.endRead()
        statistics = try opened.database.statistics()
        try own.refresh()
        schemaVersion = try own.schemaVersion()
        let definitions = try own.tableDefinitions()
        let progress = ProgressLine("Measuring")
        defer { progress.clear() }
        classes = try definitions.enumerated().map { index, definition in
            progress.update(UInt64(index), of: UInt64(definitions.count))
            let table = try opened.table(definition.name)
            return ClassInfo(
                definition: definition, objects: try table.count(),
                storage: measuresClasses ? try own.storage(of: table) : nil)
        }
    }

    // MARK: For people

    func lines() -> [String] {
        var lines = [path]
        var facts = TextTable(leftColumns: [0, 1], header: ["", ""])
        facts.rows = [
            [
                "format",
                "\(formatVersion), pages of \(statistics.pageSize) bytes, "
                    + (isEncrypted ? "encrypted" : "not encrypted"),
            ],
            ["schema", schemaVersion.map { "version \($0)" } ?? "not set"],
            ["version", Display.grouped(Int(clamping: statistics.newestVersion))],
        ]
        lines += facts.lines().dropFirst(2).map { "  " + $0 }
        lines += [""] + space.lines().dropFirst(2).map { "  " + $0 }
        if isReadOnly {
            lines.append("  What is free is known to those only who may write to the file.")
        }
        if classes.isEmpty { lines += ["", "The file has no classes."] }
        for info in classes { lines += [""] + self.lines(of: info) }
        lines.append("")
        return lines
            + (statistics.pinnedVersions.isEmpty
                ? ["No version is pinned."] : PinsCommand.pins(statistics))
    }

    private var space: TextTable {
        var table = TextTable(leftColumns: [0], header: ["", "", ""])
        var rows = [("file", statistics.fileBytes), ("live", statistics.liveBytes)]
        if !isReadOnly {
            let known =
                statistics.liveBytes + statistics.freeBytes + statistics.waitingBytes
            rows += [
                ("free", statistics.freeBytes), ("waiting", statistics.waitingBytes),
                ("other", statistics.fileBytes - min(known, statistics.fileBytes)),
            ]
        }
        let all = Double(max(1, statistics.fileBytes))
        table.rows = rows.map { name, bytes in
            [
                name, Display.bytes(Int(clamping: bytes)),
                name == "file" ? "" : "\(Int((Double(bytes) / all * 100).rounded())) %",
            ]
        }
        return table
    }

    private func lines(of info: ClassInfo) -> [String] {
        var title = CellText.shown(info.definition.name, cut: false)
        if info.definition.isEmbedded { title += " (embedded)" }
        title += "  \(Display.count(info.objects, "object"))"
        if let storage = info.storage { title += ", \(Self.bytes(storage.total))" }
        var table = TextTable(leftColumns: [0, 1, 2], header: ["", "", "", ""])
        for (index, column) in info.definition.columns.enumerated() {
            let attributes = TypeName.attributes(column)
            table.rows.append([
                CellText.shown(column.name, cut: true), TypeName.description(column), attributes,
                info.storage.map { Self.bytes($0.columns[index]) } ?? "",
            ])
            if let bytes = info.storage?.indexes[index], bytes > 0 {
                table.rows.append(["", "", "index", Self.bytes(bytes)])
            }
        }
        if let storage = info.storage {
            for (name, bytes) in [
                ("primary keys", storage.primaryKeys), ("links to it", storage.backlinks),
                ("structure", storage.structure),
            ] where bytes > 0 { table.rows.append(["", "", "(\(name))", Self.bytes(bytes)]) }
        }
        return [title] + table.lines().dropFirst(2).map { "  " + $0 }
    }

    private static func bytes(_ bytes: UInt64) -> String { Display.bytes(Int(clamping: bytes)) }

    // MARK: For programs

    private struct Document: Encodable {
        struct Space: Encodable {
            var fileBytes: UInt64
            var liveBytes: UInt64
            var freeBytes: UInt64?
            var waitingBytes: UInt64?
        }

        struct Property: Encodable {
            var name: String
            var type: String
            var bytes: UInt64?
            var indexBytes: UInt64?
        }

        struct Class: Encodable {
            var name: String
            var embedded: Bool
            var objects: Int
            var bytes: UInt64?
            var primaryKeyBytes: UInt64?
            var backlinkBytes: UInt64?
            var structureBytes: UInt64?
            var properties: [Property]
        }

        struct Pin: Encodable {
            var version: UInt64
            var process: UInt32
            var name: String?
            var isFrozen: Bool
            var heldBytes: UInt64
        }

        var path: String
        var format: Int
        var encrypted: Bool
        var pageSize: Int
        var schemaVersion: UInt64?
        var version: UInt64
        var space: Space
        var classes: [Class]
        var pins: [Pin]
    }

    func json() throws -> String {
        let document = Document(
            path: path, format: formatVersion, encrypted: isEncrypted,
            pageSize: statistics.pageSize, schemaVersion: schemaVersion,
            version: statistics.newestVersion,
            space: .init(
                fileBytes: statistics.fileBytes, liveBytes: statistics.liveBytes,
                freeBytes: isReadOnly ? nil : statistics.freeBytes,
                waitingBytes: isReadOnly ? nil : statistics.waitingBytes),
            classes: classes.map(Self.document),
            pins: statistics.pinnedVersions.map {
                .init(
                    version: $0.version, process: $0.processID, name: $0.processName,
                    isFrozen: $0.isFrozen, heldBytes: $0.heldBytes)
            })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private static func document(_ info: ClassInfo) -> Document.Class {
        .init(
            name: info.definition.name, embedded: info.definition.isEmbedded,
            objects: info.objects, bytes: info.storage?.total,
            primaryKeyBytes: info.storage?.primaryKeys, backlinkBytes: info.storage?.backlinks,
            structureBytes: info.storage?.structure,
            properties: info.definition.columns.enumerated().map { index, column in
                .init(
                    name: column.name, type: TypeName.description(column),
                    bytes: info.storage?.columns[index], indexBytes: info.storage?.indexes[index])
            })
    }
}
