import Foundation
import ToolSupport

/// A runner of single cases of a suite in separate processes, of this build or of another one.
struct TimedRunner {
    /// A program and the settings that it is run with.
    struct Build: Equatable, Sendable {
        /// The name of the build. Builds with the same name share their fixtures.
        var name: String
        var executable: URL
        /// The planted slowdown of the measured operations.
        var planted = PlantedSlowdown.none
    }

    /// The name or the path of the suite, as the other build takes it.
    let suite: String
    let cases: [BenchmarkCase]
    let calm = CalmWatch()
    private let sameWork = SameWork()
    private let folder: WorkFolder
    private var directory: String { folder.path }

    /// Creates a runner. `path` is a folder on the disk that is measured; the runner uses a folder
    /// inside it, which `removeFiles` removes.
    init(suite: String, filter: String?, path: String) throws {
        self.suite = try Self.suiteFile(suite)
        cases = try CaseFilter.chosen(of: suite, filter: filter)
            .filter { $0.unsupported == nil }
        guard !cases.isEmpty else {
            throw BenchmarkError(.usage, "No case of the suite '\(suite)' can run.")
        }
        let prefix = "timed-databases-"
        WorkFolder.removeAbandoned(below: path, prefix: prefix)
        folder = try WorkFolder(
            below: path, prefix: prefix,
            identifier: String(ProcessInfo.processInfo.processIdentifier))
    }

    func removeFiles() { folder.remove() }

    /// Returns the path of the suite's file, so that the other build reads the same suite. Those of
    /// a user's package are made by each build.
    private static func suiteFile(_ name: String) throws -> String {
        if name.hasSuffix(".json") { return URL(fileURLWithPath: name).path }
        if OwnWorkloads.all != nil { return name }
        return try ResourceLocator.suitesDirectory().appendingPathComponent(name + ".json").path
    }

    /// Times one process, repeating it until its core was calm or the attempts are spent. Throws
    /// `caseFailed` if the case failed.
    func timed(_ benchmarkCase: BenchmarkCase, _ build: Build) throws -> TimedRun {
        try calm.run { try run(benchmarkCase, build) }
    }

    private func run(_ benchmarkCase: BenchmarkCase, _ build: Build) throws -> TimedRun {
        let identifier = benchmarkCase.identifier.description
        // Another build may have another file format. The place of a file on the disk affects its
        // times, so the two sides of `selftest` have separate fixtures as well.
        let fixtures = "\(directory)/fixtures-\(build.name)"
        let work = directory + "/case"
        try? FileManager.default.removeItem(atPath: work)
        try FolderFiles.make(work)
        try FolderFiles.make(fixtures)
        defer { try? FileManager.default.removeItem(atPath: work) }
        let before = Calibration.now()
        let process = try CaseProcess(
            executable: build.executable,
            arguments: [
                CaseVerb.time, "--suite", suite, "--case", identifier, "--directory", work,
                "--fixtures", fixtures,
            ], environment: [PlantedDelay.variable: build.planted.description])
        var lines: [String] = []
        let ending = process.wait { lines.append($0) }
        let after = Calibration.now()
        try Interruption.throwIfRequested()
        guard ending.isSuccess else {
            if ending.saysDiskIsFull { throw FullDisk(of: directory).error }
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

    /// Runs every case once as a warm-up that does not count: it creates the fixtures and loads the
    /// programs into the page cache.
    func warmUp(_ builds: [Build], _ tell: (String) -> Void) throws {
        for benchmarkCase in cases {
            tell("preparing \(benchmarkCase.identifier)")
            for build in builds {
                _ = try run(benchmarkCase, build)
            }
        }
    }
}

/// The check that every process of a case did the same work with the same result as the first one,
/// whichever build it was. Times of different work decide nothing.
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
