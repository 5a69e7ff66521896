import Foundation
import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// A place with a Realm and its mirrors.
final class ObservingParty: Sendable {
    let place: ObservingPlace
    let log: MirrorLog
    private let set: Handed<MirrorSet?>

    /// Seconds to wait for what takes milliseconds.
    private static let patienceSeconds: UInt64 = 10

    /// Opens the Realm at a place, and observes it.
    init(
        _ kind: ObservingPlace.Kind, _ configuration: Realm.Configuration,
        onKnown: (@Sendable (Int) -> Void)? = nil
    ) throws {
        let place = ObservingPlace(kind)
        let log = MirrorLog(onKnown: onKnown)
        let given = Handed(configuration)
        let realm = try place.run {
            Handed(try Realm(configuration: given.value, queue: place.queue))
        }
        if kind == .passed, let queue = place.queue {
            let source = BackgroundThread { _ in
                let source = try Realm(configuration: given.value)
                defer { queue.sync {} }
                return Handed<MirrorSet?>(MirrorSet(realm.value, log, from: source, on: queue))
            }
            set = try source.wait()
        } else {
            set = try place.run { Handed<MirrorSet?>(MirrorSet(realm.value, log)) }
        }
        self.place = place
        self.log = log
    }

    /// Runs a function at the place, and waits for it.
    @discardableResult
    func atPlace<Value: Sendable>(
        _ body: @escaping @Sendable (MirrorSet) throws -> Value
    ) throws -> Value {
        try place.run { [set] in try body(set.value!) }
    }

    /// Waits until the observers know `count` transactions, and compares all mirrors.
    ///
    /// - Throws: a ``Finding`` if they are not told in time, or a mirror differs.
    func settle(_ count: Int) throws {
        try Patience.wait(
            seconds: Self.patienceSeconds,
            orFind: "an observer (\(place.kind.rawValue)) is not told of transaction \(count)"
        ) { log.failure != nil || log.known >= count }
        try log.throwFailure()
        try Patience.wait(
            seconds: Self.patienceSeconds,
            orFind: "observers (\(place.kind.rawValue)) are not told what their Realm shows"
        ) {
            try atPlace { set in
                let isSettled = set.isSettled
                if isSettled { set.checkSettled() }
                return isSettled
            } || log.failure != nil
        }
        try log.throwFailure()
    }

    /// Has the last observer be called behind all others, also those that were added meanwhile.
    func moveLastBehind() throws {
        try atPlace { $0.moveLastBehind() }
        try settle(log.known)
    }

    /// Ends all observers. The Realm stays open.
    func forget() throws { try atPlace { $0.forget() } }

    /// Ends the thread of the place, if it is one of this party, and lets go of everything after
    /// that.
    func abandon() {
        place.end()
        set.value = nil
    }

    /// Ends all observers and closes the Realm.
    func end() throws {
        try place.run { [set] in
            set.value?.forget()
            set.value = nil
        }
    }
}

/// Carries a value that is used in one place at a time.
// Unchecked because each use ends before the next one begins.
final class Handed<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
