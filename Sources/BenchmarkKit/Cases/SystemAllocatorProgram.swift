import Foundation
import Glibc

/// The second program of the package: this library without jemalloc, so that the allocator of the C
/// library serves everything. Cases that show what the allocator itself changes run in it, in
/// processes of their own like all others; the columns of allocations stay empty there.
enum SystemAllocatorProgram {
    static let name = "realm-bench-system-malloc"

    /// Looked for beside `program`, where one build puts both.
    ///
    /// - Throws: with what to do, if it is not there.
    static func path(beside program: URL = CaseProcess.ownExecutable) throws -> String {
        let path = program.deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchmarkError(
                .internalError,
                "'\(path)' is missing, which runs the cases without jemalloc "
                    + "(\(InsertWorkload.systemAllocatorStrategy)). Build it with 'swift build "
                    + "-c \(RunReport.Toolchain.configuration) --product \(name)', as "
                    + "scripts/bench does, or name only other cases.")
        }
        return path
    }

    /// Whether jemalloc serves this process.
    private static var isJemallocLinked: Bool { dlsym(nil, "mallctl") != nil }

    /// A case that is to run without jemalloc must not be measured with it, as it would be by verbs
    /// that run every case in this program.
    static func check(_ benchmarkCase: BenchmarkCase) throws {
        guard try benchmarkCase.usesSystemAllocator(), isJemallocLinked else { return }
        throw BenchmarkError(
            .caseFailed,
            "\(benchmarkCase.identifier) was begun in a program that links jemalloc: only "
                + "realm-bench run measures such cases.")
    }
}
