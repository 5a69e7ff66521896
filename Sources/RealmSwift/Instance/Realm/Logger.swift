import Foundation
import StorageEngine
import Synchronization

/// The detail of log messages. Each level includes the messages of all levels declared before it.
public enum LogLevel: Int, Sendable, Comparable {
    /// No messages.
    case off
    /// Errors that end the program.
    case fatal
    /// Operations that failed, such as a commit.
    case error
    /// Conditions that can lead to a failure.
    case warn
    /// Infrequent events.
    case info
    /// Infrequent events, with details.
    case detail
    /// Frequent events, such as opening a Realm and transactions.
    case debug
    /// Frequent events, with details.
    case trace
    /// All messages.
    case all

    /// Returns whether the first level includes fewer messages than the second.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// A receiver of the library's log messages.
///
/// ```swift
/// Logger.shared = Logger(level: .debug) { level, message in
///     print("Realm [\(level)]: \(message)")
/// }
/// ```
/// The library calls ``shared`` on the thread that performed the logged operation. Calls to one
/// logger are serialized. Opened Realms and committed or cancelled transactions are logged at
/// ``LogLevel/debug``, failed commits at ``LogLevel/error``.
///
/// A logger can be used on any thread. Its function must not use the logger itself.
// Sendable although `function` is not: `function` is called only while the lock is held.
public final class Logger: @unchecked Sendable {
    private let lock = NSLock()
    private let storedLevel: Atomic<Int>
    private let function: (LogLevel, String) -> Void

    /// The highest level of the messages that this logger receives.
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
    ///   - level: The highest level of the messages that the logger receives.
    ///   - logFunction: A function that is called with each message and its level.
    public init(level: LogLevel = .info, logFunction: @escaping (LogLevel, String) -> Void) {
        storedLevel = Atomic(level.rawValue)
        function = logFunction
    }

    /// Passes a message to the logger's function if its level is within the logger's level.
    public func log(level: LogLevel, message: String) {
        guard level != .off, level <= self.level else { return }
        lock.withLock { function(level, message) }
    }

    // MARK: The logger of the library

    private static let holder = Locked<Logger>(standardError)
    /// The level of the shared logger, cached so that a check costs one load.
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

    /// The logger that the library uses. The default one writes to standard error, up to
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

    /// Logs a message to the shared logger. The message is only built if its level is enabled.
    @inline(__always)
    static func note(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if level.rawValue <= sharedLevelValue.load(ordering: .relaxed) {
            shared.log(level: level, message: message())
        }
    }
}
