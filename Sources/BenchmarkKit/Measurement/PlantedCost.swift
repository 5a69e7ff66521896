import CMeasurement
import Foundation
import StorageEngine
import ToolSupport

/// A cost that `selftest --counted` adds to cases, to see that the gate of counted metrics finds
/// it. One alone in a whole case would vanish where the metric is rounded; so each operation or
/// each commit has one.
enum PlantedCost: String, CaseIterable, Sendable {
    /// An allocation of one byte for each operation, on the thread whose allocations are counted.
    case allocation
    /// A write of one byte for each commit, by the function with which the engine writes.
    case write
    /// The pages of a further commit for each commit, which the engine makes to a file of its own:
    /// in the file of the case they would change the result.
    case page
    /// A loop in a measured region, of a hundredth of the case's instructions.
    case instructions

    /// The environment variable with the cost, and for instructions how many steps the loop has for
    /// each operation. It is set for the processes of single cases only.
    static let variable = "REALM_BENCH_PLANTED_COST"

    /// The part of the instructions that is added, twice what the gate allows.
    static let shareOfInstructions = 0.01
    /// The fewest instructions of a step of the loop: to count and to jump.
    private static let instructionsOfStep = 2.0

    /// The metrics that grow.
    var metrics: [String] {
        switch self {
        case .allocation: ["allocations_per_op"]
        case .write: ["bytes_written_per_commit", "write_calls_per_commit"]
        case .page: ["pages_written_per_commit"]
        case .instructions: ["instructions"]
        }
    }

    /// Returns the value of the variable.
    ///
    /// - Parameter instructions: How many an operation of the case has; nil if they are not
    ///   counted, so that none are planted.
    func value(instructions: Double?) -> String {
        let added = (instructions ?? 0) * Self.shareOfInstructions
        return self == .instructions ? "\(rawValue) \(added / Self.instructionsOfStep)" : rawValue
    }

    private static let planted: (cost: PlantedCost, steps: Double)? = {
        // Foundation would copy the whole environment, and the first access happens while
        // allocations are counted.
        guard let found = getenv(variable) else { return nil }
        let text = String(cString: found)
        let parts = text.split(separator: " ")
        guard parts.count <= 2, let cost = parts.first.flatMap({ Self(rawValue: String($0)) }),
            let steps = parts.count == 2 ? Double(parts[1]) : 0
        else { fatalError("\(variable) must name a cost, not '\(text)'.") }
        return (cost, steps)
    }()

    /// The cost of this process.
    static var current: PlantedCost? { planted?.cost }

    // MARK: Making them

    static func allocate(operations: Int) {
        for _ in 0..<operations { realm_bench_allocate_byte() }
    }

    static func write(commits: Int) {
        guard let file = tmpfile() else { fatalError("There is no place for a planted byte.") }
        defer { fclose(file) }
        let descriptor = fileno(file)
        do {
            for _ in 0..<commits {
                try withUnsafeBytes(of: UInt8(0)) { try System.write(descriptor, $0, at: 0) }
            }
        } catch { fatalError("The planted byte cannot be written: \(error)") }
    }

    /// Has the engine make as many commits to a file of its own, if pages are planted. Returns how
    /// many pages it told of them.
    static func pages(commits: Int) -> Int {
        guard current == .page else { return 0 }
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("planted-pages-\(getpid())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            try FolderFiles.make(folder)
            let store = try RealmTablePersonStore(
                path: folder + "/pages.realm", .unkeyed, .relaxed)
            return try (0..<commits).reduce(0) { pages, number in
                try store.insert([PersonValues(number: number, seed: 1)][...])
                return pages + (store.lastCommit?.pages ?? 0)
            }
        } catch { fatalError("The planted pages cannot be written: \(error)") }
    }

    /// Runs in a measured region.
    static func loop(operations: Int) {
        let steps = (Double(operations) * (planted?.steps ?? 0)).rounded(.up)
        if steps >= 1 { realm_bench_loop(UInt(steps)) }
    }
}
