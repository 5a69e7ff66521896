import Foundation

/// Runs single cases of a suite in processes of their own, of this build or of another one.
struct TimedRunner {
    /// A program and what it is told besides the case.
    struct Build: Equatable, Sendable {
        /// Builds of one name share the files that are prepared for cases.
        var name: String
        var executable: URL
        /// The fraction by which its measured operations are slowed down.
        var planted = 0.0
    }

    let suite: String
    let cases: [BenchmarkCase]
    let calm = CalmWatch()
    private let sameWork = SameWork()
    private let directory: String

    /// `path`: the folder whose disk is measured; a folder inside it is used and removed by
    /// `removeFiles`.
    init(suite: String, filter: String?, path: String) throws {
        self.suite = try Self.suiteFile(suite)
        cases = try CaseFilter.chosen(of: suite, filter: filter)
            .filter { $0.unsupported == nil }
        guard !cases.isEmpty else {
            throw BenchmarkError(.usage, "No case of the suite '\(suite)' can run.")
        }
        directory =
            URL(fileURLWithPath: path)
            .appendingPathComponent("timed-databases-\(ProcessInfo.processInfo.processIdentifier)")
            .path
        try CaseRunner.makeDirectory(directory)
    }

    func removeFiles() { try? FileManager.default.removeItem(atPath: directory) }

    /// The file's path, so that another build reads the same suite.
    private static func suiteFile(_ name: String) throws -> String {
        if name.hasSuffix(".json") { return URL(fileURLWithPath: name).path }
        return try ResourceLocator.suitesDirectory().appendingPathComponent(name + ".json").path
    }

    /// One process in a calm moment, if there is one. Throws `caseFailed` if the case broke.
    func timed(_ benchmarkCase: BenchmarkCase, _ build: Build) throws -> TimedRun {
        try calm.run { try run(benchmarkCase, build) }
    }

    private func run(_ benchmarkCase: BenchmarkCase, _ build: Build) throws -> TimedRun {
        let identifier = benchmarkCase.identifier.description
        // Another build may have another file format. Where a file lies is part of what is
        // measured, so that the two sides of `selftest` keep files of their own as well.
        let fixtures = "\(directory)/fixtures-\(build.name)"
        let work = directory + "/case"
        try? FileManager.default.removeItem(atPath: work)
        try CaseRunner.makeDirectory(work)
        try CaseRunner.makeDirectory(fixtures)
        defer { try? FileManager.default.removeItem(atPath: work) }
        let before = Calibration.now()
        let process = try CaseProcess(
            executable: build.executable,
            arguments: [
                TimeCaseCommand.verb, "--suite", suite, "--case", identifier, "--directory", work,
                "--fixtures", fixtures,
            ], environment: [PlantedDelay.variable: String(build.planted)], directory: work)
        var lines: [String] = []
        let ending = process.wait { lines.append($0) }
        let after = Calibration.now()
        try Interruption.throwIfRequested()
        guard ending.isSuccess else {
            throw BenchmarkError(
                .caseFailed, "\(identifier) of the \(build.name) build broke: \(ending.reason)")
        }
        guard let line = lines.last,
            let report = try? JSONDecoder().decode(TimedReport.self, from: Data(line.utf8))
        else {
            throw BenchmarkError(
                .notComparable,
                "The \(build.name) build '\(build.executable.path)' does not report times in the "
                    + "way that this one reads. Build it from a newer revision.")
        }
        guard report.status == .ok else {
            throw BenchmarkError(
                .caseFailed,
                "\(identifier) of the \(build.name) build \(report.status): "
                    + (report.failure ?? "no reason given."))
        }
        try sameWork.check(report, of: build.name)
        return TimedRun(report: report, calibrationBefore: before, calibrationAfter: after)
    }

    /// One run of every case that does not count: it makes the files that the others read, and
    /// brings the programs into memory.
    func warmUp(_ builds: [Build], _ tell: (String) -> Void) throws {
        for benchmarkCase in cases {
            tell("preparing \(benchmarkCase.identifier)")
            for build in builds {
                _ = try run(benchmarkCase, build)
            }
        }
    }
}

/// Holds every process of a case to what its first one did, of whichever build it was: times of
/// different work, or of a wrong result, decide nothing.
final class SameWork {
    private var first: [String: (report: TimedReport, build: String)] = [:]

    func check(_ report: TimedReport, of build: String) throws {
        guard let former = first[report.caseId] else {
            first[report.caseId] = (report, build)
            return
        }
        guard report.operations == former.report.operations else {
            throw BenchmarkError(
                .notComparable,
                "\(report.caseId) did \(report.operations) operations in the \(build) build, "
                    + "\(former.report.operations) in the \(former.build) build.")
        }
        guard report.digest == former.report.digest else {
            throw BenchmarkError(
                .caseFailed,
                "\(report.caseId): the result's digest is \(report.digest ?? "missing") in the "
                    + "\(build) build, \(former.report.digest ?? "missing") in the "
                    + "\(former.build) build.")
        }
    }
}

/// The cases of a suite whose id matches.
enum CaseFilter {
    static func chosen(of suite: String, filter: String?) throws -> [BenchmarkCase] {
        let cases = try Suite.load(suite).expanded(overriding: OptionOverrides())
        guard let filter else { return cases }
        let expression: Regex<AnyRegexOutput>
        do { expression = try Regex(filter) } catch {
            throw BenchmarkError(.usage, "'\(filter)' is not a regular expression: \(error)")
        }
        let chosen = cases.filter { $0.identifier.description.contains(expression) }
        guard !chosen.isEmpty else {
            throw BenchmarkError(.usage, "No case of the suite '\(suite)' matches '\(filter)'.")
        }
        return chosen
    }
}
