import CoreFoundation
import Foundation
import Glibc
import StorageEngine
import ToolSupport

/// A process of its own, called by the run loop of its main thread. It prints a line for each call,
/// and one for each byte that it reads.
final class ProcessReceiver: ChangeReceiver {
    private let core: CoreCase
    private let board: NoticeBoard
    private let input = Pipe()
    private var listener: BackgroundThread<CaseProcess.Ending>?
    /// When the process has read the last byte, for the control.
    private let byteTime = Locked<UInt64>(0)
    private let hasReadByte = DispatchSemaphore(value: 0)

    init(_ core: CoreCase, _ board: NoticeBoard) {
        self.core = core
        self.board = board
    }

    func start() throws {
        // If the process dies, its ending is reported; a SIGPIPE would end this one.
        signal(SIGPIPE, SIG_IGN)
        let directory = core.environment.directory
        let request = directory + "/observer.json"
        try JSONMessage.write(
            ObservingProcess.Request(
                benchmarkCase: core.benchmarkCase, path: core.databasePath,
                observers: board.observers), to: request)
        board.expect(nil)
        let process = try CaseProcess(
            verb: CaseVerb.observePersons, argument: request,
            environment: core.benchmarkCase.processEnvironment, input: input)
        listener = BackgroundThread(name: "listener") { [board, byteTime, hasReadByte] _ in
            let ending = process.wait { line in
                switch ObservingProcess.Line(line) {
                case .call(let observer, let news)?: board.tell(news, observer: observer)
                case .byte(let time)?:
                    byteTime.withLock { $0 = time }
                    hasReadByte.signal()
                case nil: board.fail("The observing process said '\(line)'.")
                }
            }
            board.fail("The observing process has ended: \(ending.reason)")
            hasReadByte.signal()
            return ending
        }
        _ = try board.wait()
    }

    func wait() throws -> (first: UInt64, last: UInt64) { try board.wait() }

    /// The process cannot be asked. A durable commit takes longer than going to sleep.
    func rest() {}

    func stop() throws {
        try input.fileHandleForWriting.close()
        guard let ending = try listener?.wait(), !ending.isSuccess else { return }
        throw BenchmarkError(.caseFailed, "The observing process failed: \(ending.reason)")
    }

    func control() throws -> LatencyRecorder? {
        var latency = LatencyRecorder()
        for _ in 0..<BarePipe.count {
            let sent = monotonicNanoseconds()
            try BarePipe.writeByte(input)
            hasReadByte.wait()
            latency.record(difference(byteTime.withLock { $0 }, sent))
        }
        return latency
    }
}

/// The work of the process: it observes all persons until its standard input ends.
struct ObservingProcess {
    struct Request: Codable {
        var benchmarkCase: BenchmarkCase
        var path: String
        var observers: Int
    }

    /// What the process says.
    enum Line {
        case call(observer: Int, PersonNews)
        case byte(time: UInt64)

        init?(_ text: String) {
            let fields = text.split(separator: " ")
            guard fields.count > 1, let time = UInt64(fields[1]) else { return nil }
            switch (fields[0], fields.count) {
            case ("byte", 2): self = .byte(time: time)
            case ("call", 5):
                guard let observer = Int(fields[2]) else { return nil }
                self = .call(
                    observer: observer,
                    PersonNews(time: time, age: Int(fields[3]), changes: Int(fields[4])))
            default: return nil
            }
        }

        var text: String {
            func word(_ number: Int?) -> String { number.map(String.init) ?? "-" }
            return switch self {
            case .byte(let time): "byte \(time)"
            case .call(let observer, let news):
                "call \(news.time) \(observer) \(word(news.age)) \(word(news.changes))"
            }
        }

        func say() { Terminal.write(text + "\n", to: STDOUT_FILENO) }
    }

    let request: Request

    func run() throws {
        let benchmarkCase = request.benchmarkCase
        let engine = try benchmarkCase.engine()
        let observers = (0..<request.observers).map { index in
            PersonObserver(numbers: { 0..<0 }, tell: { Line.call(observer: index, $0).say() })
        }
        try CallerRunLoop.run {
            let store = try engine.openPersons(
                at: request.path, .integerKey, benchmarkCase.identifier.durability)
            let observation = try store.observe(.persons, at: .runLoop, observers)
            let hasEnded = Locked(false)
            // Unsafe for the compiler only: run loops may be stopped from other threads.
            nonisolated(unsafe) let loop = CFRunLoopGetCurrent()
            let reader = BackgroundThread<Void>(name: "reader") { _ in
                var byte: UInt8 = 0
                while read(STDIN_FILENO, &byte, 1) == 1 {
                    Line.byte(time: monotonicNanoseconds()).say()
                }
                hasEnded.withLock { $0 = true }
                CFRunLoopStop(loop)
            }
            while !hasEnded.withLock({ $0 }) { CFRunLoopRun() }
            withExtendedLifetime((store, observation)) {}
            try reader.wait()
        }
    }
}
