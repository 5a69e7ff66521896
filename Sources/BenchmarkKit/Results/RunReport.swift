import Foundation
import Glibc
import ToolSupport

/// The report `run.json`: what ran where, for readers in later years.
struct RunReport: Codable {
    var schemaVersion = RunContext.schemaVersion
    var runId: String
    var startedAt: String
    var finishedAt: String?
    var arguments: [String]
    var suite: String
    var seed: UInt64
    var gitRevision: String?
    var machine = Machine()
    var toolchain = Toolchain()
    var checks: [CheckOutcome] = []
    var warnings: [String] = []

    struct Machine: Codable {
        var processor = Machine.processorName()
        var cores = ProcessInfo.processInfo.activeProcessorCount
        var memoryBytes = ProcessInfo.processInfo.physicalMemory
        var kernel = Machine.kernelName()
        var architecture = Machine.architecture
        var pageSizeBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
        /// The file system of the folder with the database files.
        var fileSystem: String?

        #if arch(x86_64)
        static let architecture = "x86_64"
        #elseif arch(arm64)
        static let architecture = "aarch64"
        #else
        static let architecture = "other"
        #endif

        static func processorName() -> String? {
            guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("model name") }),
                let colon = line.firstIndex(of: ":")
            else { return nil }
            return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }

        static func kernelName() -> String {
            (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
                .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        }

        /// Returns the type and mount point of the file system that holds `path`.
        static func fileSystem(of path: String) -> String? {
            guard let text = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)
            else {
                return nil
            }
            let path = URL(fileURLWithPath: path).standardizedFileURL.path
            let mounts = text.split(separator: "\n").map { $0.split(separator: " ") }
            return
                mounts
                .filter { mount in
                    guard mount.count > 2 else { return false }
                    let point = String(mount[1])
                    return path == point || path.hasPrefix(point == "/" ? "/" : point + "/")
                }
                .max { $0[1].count < $1[1].count }
                .map { "\($0[2]) at \($0[1])" }
        }
    }

    struct Toolchain: Codable {
        var swift = Toolchain.swiftVersion
        var configuration = Toolchain.configuration

        /// The version of the compiler. It is part of the key of baselines, including patch
        /// releases, since the allocations of the compiler's output and the standard library may
        /// change.
        #if compiler(>=6.3.2)
        static let swiftVersion = "6.3.2 or later"
        #elseif compiler(>=6.3.1)
        static let swiftVersion = "6.3.1"
        #elseif compiler(>=6.3)
        static let swiftVersion = "6.3"
        #elseif compiler(>=6.2)
        static let swiftVersion = "6.2"
        #else
        static let swiftVersion = "6.1"
        #endif

        #if DEBUG
        static let configuration = "debug"
        #else
        static let configuration = "release"
        #endif
    }

    static func now() -> String { ISO8601DateFormatter().string(from: Date()) }
}

extension RunReport {
    /// Creates the report of a run that begins now. `databases` is the folder of the databases.
    init(
        of cases: [BenchmarkCase], suite: String, in directory: RunFolderWriter,
        databases: String
    ) {
        self.init(
            runId: directory.context.runIdentifier, startedAt: Self.now(),
            arguments: CommandLine.arguments, suite: suite,
            seed: cases.first?.options.seed ?? CaseOptions().seed,
            gitRevision: SourceRevision.current())
        machine.fileSystem = Machine.fileSystem(of: databases)
    }
}
