import Dispatch
import RealmSwift
import ToolSupport

extension RealmSensorStore: AsyncSensorStore {
    func makeSession(
        on queue: DispatchQueue, _ sensors: [SensorDescription]
    ) throws -> any AsyncSensorSession {
        RealmAsyncSensorSession(
            RealmSensorSession(try Realm(configuration: configuration, queue: queue), sensors))
    }

    func makeActor(_ sensors: [SensorDescription]) async throws -> any SensorActor {
        let actor = RealmSensorActor()
        try await actor.open(configuration, sensors)
        return actor
    }
}

private final class RealmAsyncSensorSession: AsyncSensorSession {
    private let session: RealmSensorSession

    init(_ session: RealmSensorSession) { self.session = session }

    func write(
        _ reading: ProducedReading, isGrouped: Bool,
        reached: @escaping (AsyncWriteStep) -> Void
    ) {
        let realm = session.realm
        func append() -> Bool {
            reached(.begun)
            do {
                try session.append(reading)
                reached(.appended)
                return true
            } catch {
                realm.cancelWrite()
                reached(.failed(error))
                return false
            }
        }
        func end(_ error: (any Error)?) { reached(error.map { .failed($0) } ?? .durable) }
        guard isGrouped else {
            var isAppended = false
            realm.writeAsync {
                isAppended = append()
            } onComplete: {
                if isAppended { end($0) }
            }
            return
        }
        realm.beginAsyncWrite {
            if append() { realm.commitAsyncWrite(allowGrouping: true) { end($0) } }
        }
    }
}

private actor RealmSensorActor: SensorActor {
    private var session: RealmSensorSession?

    func open(
        _ configuration: Realm.Configuration, _ sensors: [SensorDescription]
    ) async throws {
        session = RealmSensorSession(
            try await Realm(configuration: configuration, actor: self), sensors)
    }

    func write(
        _ reading: ProducedReading, ordered: @Sendable () -> Void
    ) async throws -> (begun: UInt64, worked: UInt64) {
        guard let session else {
            throw BenchmarkError(.internalError, "A closed actor was asked to write.")
        }
        return try await session.realm.asyncWrite {
            let begun = monotonicNanoseconds()
            try session.append(reading)
            ordered()
            return (begun, monotonicNanoseconds())
        }
    }

    func close() { session = nil }
}
