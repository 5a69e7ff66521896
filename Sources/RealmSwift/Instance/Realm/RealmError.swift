import Foundation
import StorageEngine

extension Realm {
    /// An error that opening or writing a Realm throws.
    ///
    /// ```swift
    /// do {
    ///     realm = try Realm(configuration: configuration)
    /// } catch Realm.Error.fileNotFound {
    ///     …
    /// }
    /// ```
    public struct Error: Swift.Error, Equatable, Sendable {
        /// The kind of a failure.
        public enum Code: Int, Sendable {
            /// A failure without a code of its own; see the message.
            case fail = 1
            /// A file operation failed for a reason without a code of its own.
            case fileAccess = 2
            /// The process has no permission to read or write the file.
            case filePermissionDenied = 3
            /// A file already exists at the location of a new file.
            case fileExists = 4
            /// The file or its directory does not exist.
            case fileNotFound = 5
            /// The file has an older format than this library writes.
            case fileFormatUpgradeRequired = 6
            /// A process with another lock file layout uses the file.
            case incompatibleLockFile = 8
            /// The process has no address space left to map the file.
            case addressSpaceExhausted = 9
            /// The classes of the application do not match the schema of the file.
            case schemaMismatch = 10
            /// The file is open, and the operation requires that it is not.
            case alreadyOpen = 12
            /// A value cannot be stored, or an argument is invalid.
            case invalidInput = 13
            /// The disk is full. Writing works again once there is space.
            case outOfDiskSpace = 14
            /// The file has a newer format than this library reads.
            case unsupportedFileFormatVersion = 16
            /// A file operation failed; see the message for the operation and the reason.
            case fileOperationFailed = 19
            /// The file is not a Realm, it is damaged, or the encryption key does not match.
            case invalidDatabase = 20
            /// The file was written for another kind of use.
            case incompatibleHistories = 21
        }

        /// The code ``Code/fail``, for `catch` clauses.
        public static let fail = Code.fail
        /// The code ``Code/fileAccess``, for `catch` clauses.
        public static let fileAccess = Code.fileAccess
        /// The code ``Code/filePermissionDenied``, for `catch` clauses.
        public static let filePermissionDenied = Code.filePermissionDenied
        /// The code ``Code/fileExists``, for `catch` clauses.
        public static let fileExists = Code.fileExists
        /// The code ``Code/fileNotFound``, for `catch` clauses.
        public static let fileNotFound = Code.fileNotFound
        /// The code ``Code/fileFormatUpgradeRequired``, for `catch` clauses.
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        /// The code ``Code/incompatibleLockFile``, for `catch` clauses.
        public static let incompatibleLockFile = Code.incompatibleLockFile
        /// The code ``Code/addressSpaceExhausted``, for `catch` clauses.
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        /// The code ``Code/schemaMismatch``, for `catch` clauses.
        public static let schemaMismatch = Code.schemaMismatch
        /// The code ``Code/alreadyOpen``, for `catch` clauses.
        public static let alreadyOpen = Code.alreadyOpen
        /// The code ``Code/invalidInput``, for `catch` clauses.
        public static let invalidInput = Code.invalidInput
        /// The code ``Code/outOfDiskSpace``, for `catch` clauses.
        public static let outOfDiskSpace = Code.outOfDiskSpace
        /// The code ``Code/unsupportedFileFormatVersion``, for `catch` clauses.
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        /// The code ``Code/fileOperationFailed``, for `catch` clauses.
        public static let fileOperationFailed = Code.fileOperationFailed
        /// The code ``Code/invalidDatabase``, for `catch` clauses.
        public static let invalidDatabase = Code.invalidDatabase
        /// The code ``Code/incompatibleHistories``, for `catch` clauses.
        public static let incompatibleHistories = Code.incompatibleHistories
        /// An error that applications can throw from a write transaction.
        public static let callFailed = Error(.fail)

        /// The kind of the failure.
        public let code: Code
        /// The URL of the file concerned; nil if there is none.
        public let fileURL: URL?
        let message: String

        /// Creates an error with a general message and without a file.
        public init(_ code: Code) { self.init(code, message: "Realm error \(code.rawValue)") }

        init(_ code: Code, path: String? = nil, message: String) {
            self.code = code
            fileURL = path.map { URL(fileURLWithPath: $0) }
            self.message = message
        }

        /// Returns a Boolean value that indicates whether two errors have the same code.
        public static func == (left: Error, right: Error) -> Bool { left.code == right.code }
    }
}

/// Matches an error by its code, as in `catch Realm.Error.fileNotFound`.
public func ~= (code: Realm.Error.Code, error: any Error) -> Bool {
    (error as? Realm.Error)?.code == code
}

/// Returns a Boolean value that indicates whether two errors of any type have the same domain and
/// code.
public func == (left: any Error, right: any Error) -> Bool {
    let (left, right) = (left as NSError, right as NSError)
    return left.code == right.code && left.domain == right.domain
}

extension Realm.Error: LocalizedError, CustomNSError, CustomStringConvertible {
    /// The message of the error: a complete sentence with the path of the file, if there is one.
    public var errorDescription: String? { message }
    /// The message of the error.
    public var description: String { message }

    /// The domain of all Realm errors.
    public static var errorDomain: String { "io.realm" }
    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }
    /// The message of the error, and the path of the file if there is one.
    public var errorUserInfo: [String: Any] {
        var information: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let fileURL { information[NSFilePathErrorKey] = fileURL.path }
        return information
    }
}

extension Realm.Error {
    /// Converts an error of the storage engine. All conversions go through this initializer.
    init(_ error: StorageError) {
        let path = error.path
        switch error.code {
        case .fileNotFound:
            self.init(.fileNotFound, opening: path, reason: "No such file or directory")
        case .permissionDenied:
            self.init(
                .filePermissionDenied, opening: path,
                reason: "Permission denied. Please use a path where your app has read-write "
                    + "permissions.")
        case .fileExists: self.init(.fileExists, opening: path, reason: "File exists")
        case .fileAccess: self.init(fileOperation: error)
        case .fileReplaced: self.init(.fileAccess, wrapping: error)
        case .notADatabase: self.init(.invalidDatabase, wrapping: error)
        case .alreadyOpen: self.init(.alreadyOpen, wrapping: error)
        case .unsupportedFormat: self.init(.unsupportedFileFormatVersion, wrapping: error)
        case .wrongKey: self.init(.invalidDatabase, wrapping: error)
        case .damaged: self.init(.invalidDatabase, wrapping: error)
        case .incompatibleLockFile: self.init(.incompatibleLockFile, wrapping: error)
        case .outOfDiskSpace: self.init(.outOfDiskSpace, wrapping: error)
        case .addressSpaceExhausted: self.init(.addressSpaceExhausted, wrapping: error)
        case .valueTooLarge: self.init(.invalidInput, wrapping: error)
        case .schemaChanged: self.init(.schemaMismatch, wrapping: error)
        case .outcomeUnknown, .committedUnread, .readOnly, .tooManyReaders, .usedAfterFork,
            .duplicateKey,
            .invalidArgument, .interrupted, .migrationFailed:
            self.init(.fail, wrapping: error)
        }
    }

    /// Returns `error` in the form that this API throws.
    static func of(_ error: any Swift.Error) -> any Swift.Error {
        (error as? StorageError).map { Realm.Error($0) } ?? error
    }

    private init(_ code: Code, opening path: String, reason: String) {
        self.init(
            code, path: path, message: "Failed to open Realm file at path '\(path)': \(reason)")
    }

    /// Keeps the message of the engine, and adds the path of the file if the message lacks it.
    private init(_ code: Code, wrapping error: StorageError) {
        let message =
            error.message.contains(error.path)
            ? error.message : "Realm at path '\(error.path)': \(error.message)"
        self.init(code, path: error.path, message: message)
    }

    private init(fileOperation error: StorageError) {
        guard error.systemError == ENOTDIR else {
            self.init(.fileOperationFailed, wrapping: error)
            return
        }
        let path = error.path + ".lock"
        self.init(
            .fileOperationFailed, path: path,
            message: "Failed to open file at path '\(path)': parent path is not a directory")
    }

    /// Converts a failure to delete a file. The general conversion would give messages about a
    /// failure to open the file, which would be wrong here.
    init(deleting error: StorageError) {
        switch error.code {
        case .permissionDenied: self.init(.filePermissionDenied, wrapping: error)
        case .fileAccess: self.init(.fileOperationFailed, wrapping: error)
        default: self.init(error)
        }
    }
}
