import StorageEngine
import ToolSupport

/// What the commands throw: a complete sentence for the user, and the exit code.
typealias ToolError = BenchmarkError

extension BenchmarkError.Code {
    /// The database file is damaged.
    static let damaged = Self(rawValue: 3)
    /// What is to be imported is malformed, or does not fit the class.
    static let badData = Self(rawValue: 65)
    /// Another process has the file open, and the command needs it alone.
    static let inUse = Self(rawValue: 75)
}

extension BenchmarkError {
    /// The error of the tool for one of the engine.
    init(_ error: StorageError) {
        self.init(Self.code(of: error), error.message)
        if error.code == .damaged {
            message += "\n'realm verify \(error.path)' lists all damage."
        }
    }

    private static func code(of error: StorageError) -> Code {
        switch error.code {
        case .fileNotFound, .permissionDenied, .notADatabase, .unsupportedFormat, .wrongKey: .usage
        case .damaged: .damaged
        case .alreadyOpen: .inUse
        default: .internalError
        }
    }
}
