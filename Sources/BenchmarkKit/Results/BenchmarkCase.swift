/// A benchmark case with everything needed to repeat it.
struct BenchmarkCase: Codable, Sendable {
    var identifier: CaseIdentifier
    /// The layer that the case measures. `api` is the public API, which applications use; `engine`
    /// is the storage engine underneath; `none` is no database.
    var layer: String
    var options: CaseOptions
    /// The reason why the case cannot run, as a sentence; nil if it can.
    var unsupported: String?
    /// The values that `--sweep` gave the case, as in `threads=4;payload=100`; empty without a
    /// sweep.
    var sweep = ""
    /// Whether another run of the same build counts the same syncs, write calls, bytes, pages,
    /// sizes, allocations and digest. True for one durable writer of the embedded engine with an
    /// amount of work that does not depend on time, if the workload declares it.
    var isDeterministic = false

    /// The name that is unique within a run; cases of a sweep may share their identifier.
    var name: String {
        sweep.isEmpty ? identifier.description : "\(identifier) \(sweep)"
    }

    /// The unique name as part of names of files and folders.
    var fileName: String {
        let plain = identifier.description.replacing("/", with: "-")
        return sweep.isEmpty ? plain : plain + "-" + sweep.replacing(";", with: "-")
    }

    /// Whether the counts of the case can repeat exactly. With relaxed durability the timing of a
    /// background sync decides which pages the next commit may overwrite and sync. Several writers
    /// join each other's commits by chance, and what an open loop has on its way depends on time.
    var canRepeat: Bool {
        options.threads == 1 && options.rate == nil && identifier.durability == .full
    }
}
