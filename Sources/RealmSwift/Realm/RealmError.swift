import Foundation
import StorageEngine

extension Realm {
    /// What opening or writing a Realm throws.
    ///
    /// ```swift
    /// do {
    ///     realm = try Realm(configuration: configuration)
    /// } catch Realm.Error.fileNotFound {
    ///     …
    /// }
    /// ```
    public struct Error: Swift.Error, Equatable, Sendable {
        /// What kind of failure it is.
        public enum Code: Int, Sendable {
            /// A failure without a code of its own; the message says which.
            case fail = 1
            /// A file operation failed for a reason that has no code of its own.
            case fileAccess = 2
            /// The file may not be read or written.
            case filePermissionDenied = 3
            /// There is a file where one was to be made.
            case fileExists = 4
            /// There is no file, or no directory for it.
            case fileNotFound = 5
            /// The file has an older format than this library writes.
            case fileFormatUpgradeRequired = 6
            /// The file is in use by a process with another lock file layout.
            case incompatibleLockFile = 8
            /// The process has no room left to map the file.
            case addressSpaceExhausted = 9
            /// The classes of the application do not fit the file.
            case schemaMismatch = 10
            /// The file is open where it must not be.
            case alreadyOpen = 12
            /// A value that cannot be stored.
            case invalidInput = 13
            /// The disk is full. Writing works again once there is space.
            case outOfDiskSpace = 14
            /// The file has a newer format than this library reads.
            case unsupportedFileFormatVersion = 16
            /// A file operation failed; the message says which and why.
            case fileOperationFailed = 19
            /// The file is not a Realm, it is damaged, or the encryption key does not open it.
            case invalidDatabase = 20
            /// The file was written for another kind of use.
            case incompatibleHistories = 21
        }

        /// See ``Code/fail``; for `catch` clauses.
        public static let fail = Code.fail
        /// See ``Code/fileAccess``; for `catch` clauses.
        public static let fileAccess = Code.fileAccess
        /// See ``Code/filePermissionDenied``; for `catch` clauses.
        public static let filePermissionDenied = Code.filePermissionDenied
        /// See ``Code/fileExists``; for `catch` clauses.
        public static let fileExists = Code.fileExists
        /// See ``Code/fileNotFound``; for `catch` clauses.
        public static let fileNotFound = Code.fileNotFound
        /// See ``Code/fileFormatUpgradeRequired``; for `catch` clauses.
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        /// See ``Code/incompatibleLockFile``; for `catch` clauses.
        public static let incompatibleLockFile = Code.incompatibleLockFile
        /// See ``Code/addressSpaceExhausted``; for `catch` clauses.
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        /// See ``Code/schemaMismatch``; for `catch` clauses.
        public static let schemaMismatch = Code.schemaMismatch
        /// See ``Code/alreadyOpen``; for `catch` clauses.
        public static let alreadyOpen = Code.alreadyOpen
        /// See ``Code/invalidInput``; for `catch` clauses.
        public static let invalidInput = Code.invalidInput
        /// See ``Code/outOfDiskSpace``; for `catch` clauses.
        public static let outOfDiskSpace = Code.outOfDiskSpace
        /// See ``Code/unsupportedFileFormatVersion``; for `catch` clauses.
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        /// See ``Code/fileOperationFailed``; for `catch` clauses.
        public static let fileOperationFailed = Code.fileOperationFailed
        /// See ``Code/invalidDatabase``; for `catch` clauses.
        public static let invalidDatabase = Code.invalidDatabase
        /// See ``Code/incompatibleHistories``; for `catch` clauses.
        public static let incompatibleHistories = Code.incompatibleHistories
        /// An error for applications to throw from a write transaction.
        public static let callFailed = Error(.fail)

        /// What kind of failure it is.
        public let code: Code
        /// The file concerned, where there is one.
        public let fileURL: URL?
        let message: String

        /// An error of a kind, without a file and with a general message.
        public init(_ code: Code) { self.init(code, message: "Realm error \(code.rawValue)") }

        init(_ code: Code, path: String? = nil, message: String) {
            self.code = code
            fileURL = path.map { URL(fileURLWithPath: $0) }
            self.message = message
        }

        /// Errors are equal if their codes are.
        public static func == (left: Error, right: Error) -> Bool { left.code == right.code }
    }
}

/// Lets `catch Realm.Error.fileNotFound` match by code.
public func ~= (code: Realm.Error.Code, error: any Error) -> Bool {
    (error as? Realm.Error)?.code == code
}

/// Whether two errors of any types have the same domain and the same code.
public func == (left: any Error, right: any Error) -> Bool {
    let (left, right) = (left as NSError, right as NSError)
    return left.code == right.code && left.domain == right.domain
}

extension Realm.Error: LocalizedError, CustomNSError, CustomStringConvertible {
    /// A complete sentence for people, with the path of the file where there is one.
    public var errorDescription: String? { message }
    /// The same sentence.
    public var description: String { message }

    /// The domain of all errors of Realms.
    public static var errorDomain: String { "io.realm" }
    /// The raw value of the code.
    public var errorCode: Int { code.rawValue }
    /// The description, and the path of the file where there is one.
    public var errorUserInfo: [String: Any] {
        var information: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let fileURL { information[NSFilePathErrorKey] = fileURL.path }
        return information
    }
}

extension Realm.Error {
    /// The one place where errors of the storage engine become errors of the API.
    init(_ error: StorageError) {
        let path = error.path
        switch error.code {
        case .fileNotFound:
            self.init(.fileNotFound, opening: path, "No such file or directory")
        case .permissionDenied:
            self.init(
                .filePermissionDenied, opening: path,
                "Permission denied. Please use a path where your app has read-write permissions.")
        case .fileExists: self.init(.fileExists, opening: path, "File exists")
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
        case .outcomeUnknown, .readOnly, .tooManyReaders, .usedAfterFork, .duplicateKey,
            .invalidArgument:
            self.init(.fail, wrapping: error)
        }
    }

    /// `error` as this API throws it.
    static func of(_ error: any Swift.Error) -> any Swift.Error {
        (error as? StorageError).map { Realm.Error($0) } ?? error
    }

    private init(_ code: Code, opening path: String, _ reason: String) {
        self.init(
            code, path: path, message: "Failed to open Realm file at path '\(path)': \(reason)")
    }

    /// Keeps the engine's sentence, and names the file if the sentence does not.
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

    /// What a failure to remove a file becomes. The engine's sentence says that nothing was opened.
    init(deleting error: StorageError) {
        switch error.code {
        case .permissionDenied: self.init(.filePermissionDenied, wrapping: error)
        case .fileAccess: self.init(.fileOperationFailed, wrapping: error)
        default: self.init(error)
        }
    }
}
