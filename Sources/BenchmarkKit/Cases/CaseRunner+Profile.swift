import Foundation
import ToolSupport

extension CaseRunner {
    /// Runs a case once more, in a process of its own, and returns where its time went.
    ///
    /// - Throws: `caseFailed` if the case ends early, or if callgrind, which takes a case that can
    ///   do less work, cannot run it.
    func profile(
        _ benchmarkCase: BenchmarkCase, with profiler: Profiler,
        progress: (ProgressUpdate) -> Void
    ) throws -> CaseProfile {
        progress(ProgressUpdate(phase: "profiling"))
        let folder = databases + "/profile"
        try? FileManager.default.removeItem(atPath: folder)
        try FolderFiles.make(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        switch profiler {
        case .perf(let perf): return try perfProfile(of: benchmarkCase, perf: perf, in: folder)
        case .callgrind: return try callgrindProfile(of: benchmarkCase, in: folder)
        }
    }

    private func perfProfile(
        of benchmarkCase: BenchmarkCase, perf: String, in folder: String
    ) throws -> CaseProfile {
        let recording = CaseRequest.Recording(perf: perf, folder: folder)
        _ = try repeated(
            benchmarkCase, for: "There is no profile",
            command: benchmarkCase.usesSystemAllocator() ? [SystemAllocatorProgram.path()] : nil,
            recording: recording)
        let samples = try PerfSamples.read(
            folder + "/" + PerfRecording.fileName, perf: perf)
        let spans = try JSONMessage.read([ClosedRange<UInt64>].self, from: recording.spansFile)
        return CaseProfile(
            unit: .samples,
            root: PerfSamples.tree(of: samples, within: PerfSamples.united(spans)),
            note: "Samples of perf while the case was measured, of all its threads; the processor "
                + "time of waiting is none.")
    }

    private func callgrindProfile(
        of benchmarkCase: BenchmarkCase, in folder: String
    ) throws -> CaseProfile {
        guard let reduced = try InstructionCount.reduced(benchmarkCase, count: nil) else {
            throw BenchmarkError(
                .caseFailed,
                "\(benchmarkCase.identifier) cannot be profiled with callgrind, which takes a case "
                    + "that can do less work. perf can, and does not work here.")
        }
        let program = try strippedProgram()
        let file = folder + "/callgrind.out"
        _ = try repeated(
            reduced, for: "There is no profile",
            command: InstructionCount.command(counting: program, into: file))
        let total = try InstructionCount.total(in: file)
        return CaseProfile(
            unit: .instructions,
            root: try CallgrindCalls(contentsOf: file).tree(below: InstructionCount.region),
            note: "\(Display.grouped(Int(total))) instructions, counted by callgrind with "
                + "\(Display.grouped(reduced.options.count ?? 0)) operations, of the thread that "
                + "is measured. Costs below a function are divided among its callers.")
    }
}
