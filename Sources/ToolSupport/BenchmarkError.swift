/// An error with a complete sentence for the user and the exit code of the process.
public struct BenchmarkError: Error, CustomStringConvertible, Sendable {
    /// The process exit codes of `realm-bench`. Failed cases and verdicts have codes of their own,
    /// distinct from that of a failure of the tool.
    public struct Code: RawRepresentable, Equatable, Sendable {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// The tool failed, for example because of a full disk or a directory without write access.
        public static let internalError = Code(rawValue: 1)
        /// A counted metric grew, or a row became slower by the rule of the gate.
        public static let regression = Code(rawValue: 2)
        /// A case failed or lost data, or two cases disagree on their result.
        public static let caseFailed = Code(rawValue: 3)
        /// A counted metric shrank, and `--strict` requires a new baseline.
        public static let improvement = Code(rawValue: 4)
        /// The baseline to compare with does not exist.
        public static let noBaseline = Code(rawValue: 5)
        /// The sides of a comparison differ in machine class, toolchain or schema version.
        public static let notComparable = Code(rawValue: 6)
        /// The command line names something that does not exist or cannot be read.
        public static let usage = Code(rawValue: 64)

        /// Returns the code of a run that a signal ended, as shells report it: 130 for Control-C.
        public static func interrupted(_ signal: Int32) -> Code { Code(rawValue: 128 + signal) }
    }

    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
