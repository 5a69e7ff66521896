import Glibc
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
    public static let inUse = Self(rawValue: 75)
}

extension BenchmarkError {
    /// The error of the tool for one of the engine.
    ///
    /// - Parameters:
    ///   - isOfOpening: whether the file could not be opened, so that no command can look into it.
    ///   - hasKey: whether the command was given a key.
    init(_ error: StorageError, isOfOpening: Bool = false, hasKey: Bool = true) {
        self.init(Self.code(of: error), error.message)
        switch error.code {
        case .damaged where !isOfOpening:
            message += "\n'realm verify \(error.path)' lists all damage."
        case .wrongKey where !hasKey:
            message +=
                "\n--key-file or --key-variable names the key; 'realm rekey' gives the file a "
                + "new one."
        case .notADatabase:
            // What the engine says is for those who write the program that has opened the file.
            message = "'\(error.path)' is no Realm file of this library."
        default: break
        }
    }

    private static func code(of error: StorageError) -> Code {
        switch error.code {
        case .fileNotFound, .permissionDenied, .notADatabase, .unsupportedFormat, .wrongKey,
            .fileExists:
            .usage
        case .fileAccess where [EISDIR, ENOTDIR, ENXIO].contains(error.systemError): .usage
        case .damaged: .damaged
        case .alreadyOpen: .inUse
        case .interrupted: Interrupted.code ?? .internalError
        default: .internalError
        }
    }
}
