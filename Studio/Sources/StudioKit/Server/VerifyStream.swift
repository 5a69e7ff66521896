import Foundation
import NIOCore
import RealmTool
import Synchronization

/// Checks all pages of a version, and tells a page how far that is, as server-sent events.
///
/// | event | data |
/// | --- | --- |
/// | `progress` | how many pages of about how many are done |
/// | `result` | the problems, and what the pages are used for |
/// | `failure` | a sentence |
///
/// When the page goes, the work ends.
struct VerifyStream {
    private struct Progress: Encodable {
        var done: UInt64 = 0
        var all: UInt64 = 0
    }

    private enum State {
        case running(Progress)
        case ended(Result<[UInt8], any Error>)
    }

    private final class Run: Sendable {
        let state = Mutex(State.running(Progress()))
        let isCancelled = Atomic(false)
    }

    private let version: @Sendable () throws -> InspectedVersion
    private let work: Work
    private static let interval = Duration.milliseconds(100)

    init(_ version: @escaping @Sendable () throws -> InspectedVersion, _ work: Work) {
        self.version = version
        self.work = work
    }

    func run(_ write: (String) async throws -> Void) async throws {
        let run = Run()
        defer { run.isCancelled.store(true, ordering: .relaxed) }
        start(run)
        while true {
            switch run.state.withLock({ $0 }) {
            case .running(let progress):
                let data = try JSONEncoder().encode(progress)
                try await write(Self.event("progress", data))
            case .ended(.success(let result)):
                return try await write(Self.event("result", Data(result)))
            case .ended(.failure(let error)):
                let data = try JSONEncoder().encode(["message": "\(error)"])
                return try await write(Self.event("failure", data))
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    private func start(_ run: Run) {
        let (version, work) = (version, work)
        Task {
            let result: Result<[UInt8], any Error>
            do {
                result = .success(
                    try await work.slowly {
                        try version().verify { done, all in
                            if run.isCancelled.load(ordering: .relaxed) {
                                throw CancellationError()
                            }
                            run.state.withLock { $0 = .running(Progress(done: done, all: all)) }
                        }
                    })
            } catch { result = .failure(error) }
            run.state.withLock { $0 = .ended(result) }
        }
    }

    private static func event(_ name: String, _ data: Data) -> String {
        "event: \(name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
    }
}
