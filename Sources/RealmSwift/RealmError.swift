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
        public enum Code: Int, Sendable {
            case fail = 1
            /// A file operation failed for a reason that has no code of its own.
            case fileAccess = 2
            case filePermissionDenied = 3
            case fileExists = 4
            case fileNotFound = 5
            case fileFormatUpgradeRequired = 6
            /// The file is in use by a process with another lock file layout.
            case incompatibleLockFile = 8
            case addressSpaceExhausted = 9
            /// The classes of the application do not fit the file.
            case schemaMismatch = 10
            /// The file is open where it must not be.
            case alreadyOpen = 12
            case invalidInput = 13
            case outOfDiskSpace = 14
            case unsupportedFileFormatVersion = 16
            case fileOperationFailed = 19
            /// The file is not a Realm, or it is damaged.
            case invalidDatabase = 20
            case incompatibleHistories = 21
        }

        public static let fail = Code.fail
        public static let fileAccess = Code.fileAccess
        public static let filePermissionDenied = Code.filePermissionDenied
        public static let fileExists = Code.fileExists
        public static let fileNotFound = Code.fileNotFound
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        public static let incompatibleLockFile = Code.incompatibleLockFile
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        public static let schemaMismatch = Code.schemaMismatch
        public static let alreadyOpen = Code.alreadyOpen
        public static let invalidInput = Code.invalidInput
        public static let outOfDiskSpace = Code.outOfDiskSpace
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        public static let fileOperationFailed = Code.fileOperationFailed
        public static let invalidDatabase = Code.invalidDatabase
        public static let incompatibleHistories = Code.incompatibleHistories
        /// An error for applications to throw from a write transaction.
        public static let callFailed = Error(.fail)

        public let code: Code
        /// The file concerned, where there is one.
        public let fileURL: URL?
        let message: String

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

extension Realm.Error: LocalizedError, CustomNSError, CustomStringConvertible {
    public var errorDescription: String? { message }
    public var description: String { message }

    public static var errorDomain: String { "io.realm" }
    public var errorCode: Int { code.rawValue }
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
        case .notADatabase: self.init(notADatabase: error)
        case .unsupportedFormat: self.init(.unsupportedFileFormatVersion, wrapping: error)
        case .damaged:
            self.init(
                .invalidDatabase, path: path,
                message: "Realm at path '\(path)' is damaged: \(error.damage)")
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

    private init(notADatabase error: StorageError) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: error.path)
        let size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
        if size > 0 && size < Realm.Error.smallestFile {
            self.init(
                .invalidDatabase, opening: error.path,
                "file is non-empty but too small (\(size) bytes) to be a valid Realm.")
        } else {
            self.init(.invalidDatabase, opening: error.path, error.message)
        }
    }

    /// The length of the file header, in bytes.
    private static var smallestFile: Int { 512 }
}

extension StorageError {
    /// What is damaged, beginning with the page where it is known.
    fileprivate var damage: String {
        guard let page else { return message }
        return message.contains("page \(page)") ? message : "page \(page): \(message)"
    }
}
