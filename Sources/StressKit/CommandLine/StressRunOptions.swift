import ArgumentParser
import Foundation
import Glibc

/// Options that `run` and `selftest` share.
struct StressRunOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Appends the rows to this file.", valueName: "file"))
    var append: String?

    @Option(
        help: ArgumentHelp("Seed of the first round; each round adds one.", valueName: "number"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "The folder for database files. Default: in memory (/dev/shm) where there is such.",
            valueName: "folder"))
    var path: String?

    @OptionGroup var limits: StressLimitOptions

    /// Runs `body` with a name for the run and the folder of its database files.
    func withFolder(_ body: (_ identifier: String, _ folder: String) throws -> Void) throws {
        let identifier = "\(Int(Date().timeIntervalSince1970))-\(getpid())"
        let folder = try StressFolder.make(below: path, identifier: identifier)
        defer { folder.remove() }
        try body(identifier, folder.path)
    }
}

/// Options that limit the workers of a run.
struct StressLimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The largest file.", valueName: "bytes"))
    var fileBytes = StressLimits().fileBytes

    @Option(help: ArgumentHelp("The most memory of a worker.", valueName: "bytes"))
    var memoryBytes = StressLimits().memoryBytes

    @Option(
        help: ArgumentHelp(
            "How long a worker may say nothing: in time of processors, or without doing anything.",
            valueName: "seconds"))
    var silence = StressLimits().silenceSeconds

    func validate() throws {
        guard fileBytes >= 1 << 20, memoryBytes >= 1 << 20, silence >= 1, silence <= 86_400 else {
            throw ValidationError("Limits are at least 1 MiB, and a silence of a second.")
        }
    }

    var limits: StressLimits {
        var limits = StressLimits()
        limits.fileBytes = fileBytes
        limits.memoryBytes = memoryBytes
        limits.silenceSeconds = silence
        return limits
    }
}
