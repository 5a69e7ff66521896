import Foundation
import Glibc
import ToolSupport

/// The second program of the package: this library without jemalloc, so that the allocator of the C
/// library serves all allocations. Cases that measure the effect of the allocator run in it, in
/// processes of their own as all cases do; their allocation columns stay empty.
enum SystemAllocatorProgram {
    static let name = "realm-bench-system-malloc"
    /// The strategy that runs in this program.
    static let strategy = "api-system-malloc"

    /// Returns the path of the program, expected beside `program` as a build places it.
    ///
    /// - Throws: `internalError` with instructions for building it, if it is missing.
    static func path(beside program: URL = CaseProcess.ownExecutable) throws -> String {
        let path = program.deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchmarkError(
                .internalError,
                "'\(path)' is missing, which runs the cases without jemalloc "
                    + "(\(strategy)). Build it with 'swift build --traits Runner "
                    + "-c \(RunReport.Toolchain.configuration) --product \(name)', as "
                    + "scripts/bench does, or name only other cases.")
        }
        return path
    }

    /// Whether this process links jemalloc.
    private static var isJemallocLinked: Bool { dlsym(nil, "mallctl") != nil }

    /// Throws if a case meant to run without jemalloc was started in a program with it. Hidden
    /// verbs that run every case in this program would otherwise measure it wrongly.
    static func check(_ benchmarkCase: BenchmarkCase) throws {
        guard benchmarkCase.identifier.strategy == strategy, isJemallocLinked else { return }
        throw BenchmarkError(
            .caseFailed,
            "\(benchmarkCase.identifier) was begun in a program that links jemalloc: only "
                + "realm-bench run measures such cases.")
    }
}
