import BenchmarkKit
import Foundation
import Glibc
import StorageEngine

/// A process of this same program that one thread starts, talks to in lines, and ends.
///
/// It has a process group of its own, so that ending it ends what it started; and it dies with the
/// thread that started it (``ParentDeath``), whatever becomes of that one.
package final class ChildProcess {
    package let identifier: Int32
    /// Both ways; a socket, because writing to a pipe that nobody reads sends a signal.
    private let socket: Int32
    private var received: [UInt8] = []
    /// As `waitpid` tells it; nil while it runs.
    private var status: Int32?

    /// This program itself.
    package static var ownExecutable: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    }

    /// `errorFile`: where its standard error goes, at the end of what is there. `environment`: beside
    /// that of this process.
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

    // MARK: Talking

    /// Hands the child a line. One that has ended reads nothing.
    package func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // Lines are short, and the child reads each before it works: they fit into the buffer.
        _ = bytes.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    package enum Line: Equatable {
        case text(String)
        /// The child has ended, or is about to.
        case end
        /// It says nothing, and does nothing that would explain it.
        case silence
    }

    /// The next line that the child says, unless it hangs before (``SilenceWatch``).
    package func nextLine(silentFor seconds: Double) -> Line {
        var watch = SilenceWatch(of: identifier, seconds: seconds)
        while true {
            if let line = nextLine(within: SilenceWatch.interval) { return line }
            if watch.looksHung() { return .silence }
        }
    }

    /// A line that the child has said already, or nil.
    package func lineAtHand() -> String? {
        if case .text(let line) = nextLine(within: 0.001) { return line }
        return nil
    }

    /// The next line that the child says, or nil if there is none for so many seconds.
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

    /// Ends it and what it started, at once.
    package func kill() {
        if status == nil { Glibc.kill(-identifier, SIGKILL) }
    }

    /// Waits until it has ended; returns the signal that ended it, or 0.
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

    /// What it returned to the system, once it has ended by itself.
    package var exitCode: Int32 { (wait() == 0 ? status! >> 8 : -1) & 0xFF }
}
