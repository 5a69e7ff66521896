/// What went wrong, in a complete sentence for people, and which exit code it leads to.
public struct BenchmarkError: Error, CustomStringConvertible, Sendable {
    /// The process exit codes of `realm-bench`. Neither a failed case nor a
    /// verdict is ever mistaken for a failed tool.
    public struct Code: RawRepresentable, Equatable, Sendable {
        public var rawValue: Int32

        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// The tool could not do its work: a full disk, a directory it may not write.
        public static let internalError = Code(rawValue: 1)
        /// A counted metric grew, or a row became slower beyond doubt.
        public static let regression = Code(rawValue: 2)
        /// A case failed, lost data, or two cases disagree on their result.
        public static let caseFailed = Code(rawValue: 3)
        /// A counted metric shrank, and `--strict` asks for a new baseline then.
        public static let improvement = Code(rawValue: 4)
        /// There is nothing to compare with.
        public static let noBaseline = Code(rawValue: 5)
        /// What is to be compared is of another machine class, toolchain or layout.
        public static let notComparable = Code(rawValue: 6)
        /// The command line asks for something that does not exist or cannot be read.
        public static let usage = Code(rawValue: 64)

        /// A signal ended the run, the way shells report it: 130 for Control-C.
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
