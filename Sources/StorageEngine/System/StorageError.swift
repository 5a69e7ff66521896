/// What went wrong in the storage engine, where, and what to do about it.
public struct StorageError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: Sendable {
        /// No file at the path, and the caller did not ask to create one.
        case fileNotFound
        case permissionDenied
        case fileExists
        /// A file that must not be in use is open, in this process or in another one.
        case alreadyOpen
        /// Any other failure of a file operation; `systemError` says which.
        case fileAccess
        /// The file was removed, or another one was put in its place, while it was open: a commit
        /// would be lost.
        case fileReplaced
        /// The file is not a database of this format.
        case notADatabase
        /// A format version that this library does not read.
        case unsupportedFormat
        /// The encryption key is not the file's, or is missing, or the file is not encrypted.
        case wrongKey
        /// A checksum or a structural check failed; `page` names the page where known.
        case damaged
        /// `.lock` is unusable: removed while the file is open, or of another layout.
        case incompatibleLockFile
        case outOfDiskSpace
        case addressSpaceExhausted
        /// A string or data value above the limit.
        case valueTooLarge
        /// A sync or a device failed: whether the commit survives is not known.
        case outcomeUnknown
        /// The transaction was committed, as durable as was asked for, and is not to be repeated.
        /// But the connection cannot move to its version, for the reason that the message names,
        /// and reads nothing until `refresh` or `beginWrite` succeeds.
        case committedUnread
        /// Writing was asked of a database opened for reading only.
        case readOnly
        /// All slots for readers or processes are taken.
        case tooManyReaders
        /// The handle was inherited through `fork` and must not be used.
        case usedAfterFork
        /// A primary key that exists already.
        case duplicateKey
        /// A migration has changed the tables that the connection knows.
        case schemaChanged
        /// Objects that a migration cannot give the form that their class is to have.
        case migrationFailed
        /// A table, column or object that does not exist, or a call that does not fit it.
        case invalidArgument
        /// The caller ended what takes long, before it was done. Nothing is changed.
        case interrupted
    }

    /// What it says, in memory of its own: an error of one word is thrown in a register, while a
    /// larger one costs an argument in every call of a function that may throw it.
    private final class Contents: Sendable {
        let code: Code
        let path: String
        let message: String
        let page: UInt64?
        let systemError: Int32?

        init(
            _ code: Code, _ path: String, message: String, page: UInt64?, systemError: Int32?
        ) {
            self.code = code
            self.path = path
            self.message = message
            self.page = page
            self.systemError = systemError
        }
    }

    private let contents: Contents

    /// The error of a commit that has succeeded, when `reason` keeps the connection from reading
    /// its version.
    static func committedUnread(_ reason: StorageError) -> StorageError {
        StorageError(
            .committedUnread, path: reason.path,
            message: "The transaction was committed and must not be repeated, but what it made "
                + "cannot be read: \(reason.message)",
            page: reason.page, systemError: reason.systemError)
    }

    public init(
        _ code: Code, path: String, message: String, page: UInt64? = nil,
        systemError: Int32? = nil
    ) {
        contents = Contents(code, path, message: message, page: page, systemError: systemError)
    }

    public var code: Code { contents.code }
    /// The path of the database file.
    public var path: String { contents.path }
    /// A complete sentence for people.
    public var message: String { contents.message }
    public var page: UInt64? { contents.page }
    /// The value of `errno`, where a system call failed.
    public var systemError: Int32? { contents.systemError }

    public var description: String { message }

    public static func == (left: StorageError, right: StorageError) -> Bool {
        left.code == right.code && left.path == right.path && left.message == right.message
            && left.page == right.page && left.systemError == right.systemError
    }
}
