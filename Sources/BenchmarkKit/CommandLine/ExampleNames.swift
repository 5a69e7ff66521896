import ArgumentParser
import ToolSupport

/// The names in the examples of help texts: those of `realm-bench`, or of a user's package.
extension ParsableCommand {
    /// The name of the program.
    static var tool: String { ToolProgram.current.name }

    /// The name of a workload that the program has.
    static var exampleWorkload: String { OwnWorkloads.all?.first?.name ?? "insert" }

    /// The name of a strategy of ``exampleWorkload``.
    static var exampleStrategy: String { OwnWorkloads.all?.first?.strategies[0].name ?? "api" }

    /// The name of a suite that the program has.
    static var exampleSuite: String { OwnWorkloads.all == nil ? "full" : "counted" }
}
