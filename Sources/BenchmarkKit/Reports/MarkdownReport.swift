import ToolSupport

/// The tables of a run for issues, pull requests and documents.
enum MarkdownReport {
    static func text(of run: RunFolder) throws -> String {
        let report = run.header
        var text = "# Run \(report.runId)\n\n"
        for (name, value) in RunFacts.all(of: report) { text += "- \(name): \(value)\n" }
        for warning in report.warnings { text += "\n> Warning: \(warning)\n" }
        for (workload, group) in run.rows.byWorkload {
            text += "\n## \(workload)\n\n"
            text += ResultTable.table(of: group, ResultTable.names(of: group)).markdownText
        }
        if !report.checks.isEmpty {
            text += "\n## Checks\n\n"
            text += ResultTable.table(of: report.checks).markdownText
        }
        let peers = try PeersTable(run.rows, samples: run.samples, indirect: .load())
        if let peers { text += "\n## Engines side by side\n\n" + peers.markdown() }
        if let encryption = EncryptionTable(run.rows, samples: run.samples) {
            text += "\n## What encryption costs\n\n" + encryption.markdown()
        }
        return text
    }
}

/// The facts that a reader needs to interpret the figures of a run.
enum RunFacts {
    static func all(of report: RunReport) -> [(name: String, value: String)] {
        let machine = report.machine
        let processor = machine.processor ?? "unknown processor"
        return [
            ("started", report.startedAt), ("finished", report.finishedAt ?? "ended early"),
            ("suite", report.suite), ("seed", String(report.seed)),
            ("revision", report.gitRevision ?? "outside of a working copy"),
            ("processor", "\(processor), \(machine.cores) cores, \(machine.architecture)"),
            ("memory", Display.bytes(Int(machine.memoryBytes))),
            ("kernel", machine.kernel), ("file system", machine.fileSystem ?? "unknown"),
            ("toolchain", "Swift \(report.toolchain.swift), \(report.toolchain.configuration)"),
        ]
    }
}
