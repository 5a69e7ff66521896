/// What went wrong, in a complete sentence for people, and which exit code it leads to.
public struct BenchmarkError: Error, CustomStringConvertible, Sendable {
    /// The process exit codes of `realm-bench`; a failed case is never mistaken for a failed tool.
    public enum Code: Int32, Sendable {
        /// The tool could not do its work: a full disk, a directory it may not write.
        case internalError = 1
        /// A case failed, lost data, or two cases disagree on their result.
        case caseFailed = 3
        /// The command line asks for something that does not exist or cannot be read.
        case usage = 64
    }

    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
