import Foundation
import Glibc
import StorageEngine
import ToolSupport

/// A process of this same program that one thread starts, exchanges lines with, and ends.
///
/// It has a process group of its own, so that ending it also ends what it started. It dies with the
/// thread that started it (``ParentDeath``), however that thread ends.
package final class ChildProcess {
    package let identifier: Int32
    /// A socket for both directions. Writing to a pipe without a reader would send a signal.
    private let socket: Int32
    private var received: [UInt8] = []
    /// Status as `waitpid` gives it; nil while the child runs.
    private var status: Int32?

    /// Path of this program.
    package static var ownExecutable: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    }

    /// Starts the child.
    ///
    /// - Parameter errorFile: the file that its standard error is appended to.
    /// - Parameter environment: variables added to those of this process.
    package init(
        executable: String, arguments: [String], errorFile: String,
        environment added: [String: String] = [:]
    ) throws {
        let (own, childs) = try Self.makeSocketPair()
        socket = own
        defer { close(childs) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childs, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, childs, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, errorFile, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        let environment = ProcessInfo.processInfo.environment
            .merging(added) { $1 }
            .merging([ParentDeath.variable: String(getpid())]) { $1 }
            .map { "\($0)=\($1)" }
        var process: pid_t = 0
        let code = Self.withCStrings([executable] + arguments) { arguments in
            Self.withCStrings(environment) { environment in
                posix_spawn(&process, executable, &actions, &attributes, arguments, environment)
            }
        }
        identifier = process
        guard code == 0 else {
            status = 0
            throw BenchmarkError(
                .internalError,
                "'\(executable)' cannot be started: \(String(cString: strerror(code))).")
        }
    }

    deinit {
        kill()
        wait()
        close(socket)
    }

    private static func makeSocketPair() throws -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw BenchmarkError(
                .internalError,
                "No pair of sockets can be made: \(String(cString: strerror(errno))).")
        }
        return (ends[0], ends[1])
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
    ) -> R {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    // MARK: Messages

    /// Sends the child a line. A line to a child that has ended is lost.
    package func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // Lines are short, and the child reads each before it works, so they fit into the buffer.
        _ = bytes.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    package enum Line: Equatable {
        case text(String)
        /// The child has ended or closed its end.
        case end
        /// The child says nothing, and does nothing that would explain the silence.
        case silence
    }

    /// Returns the next line of the child, or `silence` if it hangs (``SilenceWatch``).
    package func nextLine(silentFor seconds: Double) -> Line {
        var watch = SilenceWatch(of: identifier, seconds: seconds)
        while true {
            if let line = nextLine(within: SilenceWatch.interval) { return line }
            if watch.looksHung() { return .silence }
        }
    }

    /// Returns a line that has already arrived, or nil.
    package func lineAtHand() -> String? {
        if case .text(let line) = nextLine(within: 0.001) { return line }
        return nil
    }

    /// Returns the next line of the child, or nil if there is none within `seconds`.
    private func nextLine(within seconds: Double) -> Line? {
        let deadline = System.monotonicNanoseconds + UInt64(seconds * 1e9)
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                return .text(line)
            }
            let now = System.monotonicNanoseconds
            guard now < deadline else { return nil }
            var wanted = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(min((deadline - now) / 1_000_000 + 1, 1_000_000))
            guard poll(&wanted, 1, milliseconds) > 0 else { continue }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = Glibc.read(socket, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .end }
            received += chunk[..<count]
        }
    }

    // MARK: Ending

    /// Kills the child and everything it started.
    package func kill() {
        if status == nil { Glibc.kill(-identifier, SIGKILL) }
    }

    /// Waits until the child has ended. Returns the signal that ended it, or 0.
    @discardableResult
    package func wait() -> Int32 {
        while status == nil {
            var code: Int32 = 0
            if waitpid(identifier, &code, 0) == identifier {
                status = code
            } else if errno != EINTR {
                status = 0
            }
        }
        return status! & 0x7F
    }

    /// Exit code of a child that ended by itself. Waits for the end.
    package var exitCode: Int32 { (wait() == 0 ? status! >> 8 : -1) & 0xFF }
}
