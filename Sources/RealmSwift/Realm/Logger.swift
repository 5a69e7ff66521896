import Foundation
import StorageEngine
import Synchronization

/// How much is told of what the library does: of each level everything that is told of those before.
public enum LogLevel: Int, Sendable, Comparable {
    /// Nothing.
    case off
    /// What ends the program.
    case fatal
    /// What failed, such as a commit.
    case error
    /// What may become a failure.
    case warn
    /// What happens seldom.
    case info
    /// The same, with details.
    case detail
    /// What happens often: Realms that are opened, transactions.
    case debug
    /// The same, with details.
    case trace
    /// Everything.
    case all

    /// Whether the first level tells less.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Receives what the library tells of its work.
///
/// ```swift
/// Logger.shared = Logger(level: .debug) { level, message in
///     print("Realm [\(level)]: \(message)")
/// }
/// ```
/// The library calls ``shared`` on the thread that did what is told, one call at a time for each
/// logger. It tells of Realms that are opened and of transactions that are committed or cancelled
/// at ``LogLevel/debug``, of commits that fail at ``LogLevel/error``. A logger may be used on any
/// thread; its function must not use the logger itself.
// Sendable although the function is not: it is called while the lock is held.
public final class Logger: @unchecked Sendable {
    private let lock = NSLock()
    private let storedLevel: Atomic<Int>
    private let function: (LogLevel, String) -> Void

    /// Up to which level this logger is told something.
    public var level: LogLevel {
        get { LogLevel(rawValue: storedLevel.load(ordering: .relaxed)) ?? .off }
        set {
            storedLevel.store(newValue.rawValue, ordering: .relaxed)
            Logger.holder.withLock { if $0 === self { Logger.sharedLevel = newValue } }
        }
    }

    /// Creates a logger.
    ///
    /// - Parameters:
    ///   - level: up to which level it is told something.
    ///   - logFunction: receives each message with its level.
    public init(level: LogLevel = .info, logFunction: @escaping (LogLevel, String) -> Void) {
        storedLevel = Atomic(level.rawValue)
        function = logFunction
    }

    /// Hands a message to the logger's function, unless its level is above that of the logger.
    public func log(level: LogLevel, message: String) {
        guard level != .off, level <= self.level else { return }
        lock.withLock { function(level, message) }
    }

    // MARK: The logger of the library

    private static let holder = Locked<Logger>(standardError)
    /// That of the shared logger, for a question that costs one load.
    private static let sharedLevelValue = Atomic<Int>(LogLevel.info.rawValue)

    private static var sharedLevel: LogLevel {
        get { LogLevel(rawValue: sharedLevelValue.load(ordering: .relaxed)) ?? .off }
        set { sharedLevelValue.store(newValue.rawValue, ordering: .relaxed) }
    }

    private static var standardError: Logger {
        Logger { level, message in
            FileHandle.standardError.write(Data("Realm [\(level)]: \(message)\n".utf8))
        }
    }

    /// The logger of the library. At first one that writes to standard error, up to
    /// ``LogLevel/info``.
    public static var shared: Logger {
        get { holder.withLock { $0 } }
        set {
            holder.withLock {
                $0 = newValue
                sharedLevel = newValue.level
            }
        }
    }

    /// Tells the shared logger something, if it wants to know.
    @inline(__always)
    static func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if level.rawValue <= sharedLevelValue.load(ordering: .relaxed) {
            shared.log(level: level, message: message())
        }
    }
}
