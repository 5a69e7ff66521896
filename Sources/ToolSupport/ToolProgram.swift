import Synchronization

/// The program that runs: `realm-bench`, or one whose package has workloads of its own.
package struct ToolProgram: Sendable {
    /// The name by which users call it.
    package var name: String
    /// The file or folder by which the folder of its package is recognised.
    package var landmark: String

    private static let stored = Mutex(
        ToolProgram(name: "realm-bench", landmark: "Benchmarks/Suites"))

    package static var current: ToolProgram { stored.withLock { $0 } }

    /// Makes the program that of a user's package. It is called before anything else is.
    package static func becomeOwn(named name: String) {
        stored.withLock { $0 = ToolProgram(name: name, landmark: "Package.swift") }
    }
}
