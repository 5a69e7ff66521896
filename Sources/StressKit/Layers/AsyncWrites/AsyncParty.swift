import Foundation
import RealmSwift
import StorageEngine
import StressModel
import ToolSupport

/// The writers of one process, each at a place of its own and driven by a thread of its own, and a
/// thread that looks at every version that it gets to see.
struct AsyncParty {
    enum Kind: String {
        case queue, main, actor
        case runLoop = "run-loop"
        /// A thread that waits for its transactions.
        case thread
    }

    private let point: StressPoint
    private let path: String
    private let record: AsyncRecord
    private let trouble: AsyncTrouble
    private let journal: AsyncJournal
    private let kinds: [Kind]
    private let firstWriter: Int
    private let steps: Int

    /// Seconds to wait for what takes milliseconds.
    private static let patienceSeconds: UInt64 = 30
    /// Numbers of writers that belong to one process.
    private static let mostWriters = 16
    /// The longest pause of a writer between two steps.
    private static let longestPause = 1500

    /// - Parameter process: a number that no other process with writers of the file has.
    init(
        _ point: StressPoint, _ path: String, _ record: AsyncRecord, process: Int = 0,
        beside trouble: AsyncTrouble
    ) throws {
        self.point = point
        self.path = path
        self.record = record
        self.trouble = trouble
        journal = try point.asyncJournal()
        kinds = try point.asyncPlaces()
        firstWriter = process * Self.mostWriters + 1
        steps = try point.asyncSteps()
    }

    /// Has all write, waits until all is done, and closes everything.
    ///
    /// - Throws: a ``Finding``, after all have ended.
    func run() throws {
        let looking = AsyncOnlooker(point, path, journal, record)
        let drivers = kinds.enumerated().map { index, kind in
            BackgroundThread { _ in try drive(kind, writer: firstWriter + index) }
        }
        let results = drivers.map { driver in Result { try driver.wait() } }
        try looking.finish()
        for result in results { try result.get() }
        try record.throwProblem()
    }

    private func drive(_ kind: Kind, writer: Int) throws {
        switch kind {
        case .thread: try driveThread(writer)
        case .actor: try driveActor(writer)
        case .queue: try drive(ObservingPlace(.queue), writer)
        case .main: try drive(ObservingPlace(.main), writer)
        case .runLoop: try drive(ObservingPlace(.runLoop), writer)
        }
    }

    private func pauses(of writer: Int) -> RepeatableRandom {
        RepeatableRandom(seed: journal.seed, part: UInt64(writer) + 32 << 32)
    }

    private static func pause(_ random: inout RepeatableRandom) {
        System.sleep(nanoseconds: UInt64(random.below(longestPause)) * 1000)
    }

    // MARK: Places

    private func drive(_ place: ObservingPlace, _ number: Int) throws {
        let writer = try place.run { [point, path, journal, record, trouble] in
            let realm = try Realm(
                configuration: point.asyncConfiguration(path), queue: place.queue)
            return Handed<AsyncWriter?>(
                AsyncWriter(realm, journal, record, writer: number, beside: trouble))
        }
        var random = pauses(of: number)
        for _ in 0..<steps {
            try place.run { writer.value!.act() }
            Self.pause(&random)
        }
        try Patience.wait(
            seconds: Self.patienceSeconds,
            orFind: "asynchronous writes (\(place.kind.rawValue)) do not come to their end"
        ) { try place.run { writer.value?.isSettled ?? true } }
        try place.run {
            writer.value?.finish()
            writer.value = nil
        }
    }

    private func driveThread(_ number: Int) throws {
        let realm = try Realm(configuration: point.asyncConfiguration(path))
        let writer = AsyncWriter(realm, journal, record, writer: number, beside: trouble)
        var random = pauses(of: number)
        for _ in 0..<steps {
            writer.writeAtOnce()
            Self.pause(&random)
        }
        if trouble == .fullDisk {
            try Patience.wait(
                seconds: Self.patienceSeconds,
                orFind: "nothing can be written to a disk that is not full any more"
            ) { writer.writeAtOnce() }
        }
    }

    private func driveActor(_ number: Int) throws {
        let isDone = DispatchSemaphore(value: 0)
        let failure = Locked<(any Error)?>(nil)
        Task.detached { [point, path, journal, record, steps, random = pauses(of: number)] in
            defer { isDone.signal() }
            var random = random
            let actor = AsyncActor(journal, record, writer: number)
            do { try await actor.open(point, path) } catch {
                return failure.withLock { $0 = error }
            }
            for _ in 0..<steps {
                await actor.act()
                try? await Task.sleep(for: .microseconds(random.below(Self.longestPause)))
            }
            await actor.close()
        }
        try Patience.wait(
            seconds: Self.patienceSeconds, orFind: "tasks of an actor do not come to their end"
        ) { isDone.wait(timeout: .now()) == .success }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

/// A thread with a Realm of its own that reads every version that it gets to see, and tells of it:
/// none of them may be taken back.
struct AsyncOnlooker {
    private let thread: BackgroundThread<Void>

    private static let pauseNanoseconds: UInt64 = 200_000

    init(
        _ point: StressPoint, _ path: String, _ journal: AsyncJournal, _ record: AsyncRecord
    ) {
        thread = BackgroundThread { isStopped in
            let realm = try Realm(configuration: point.asyncConfiguration(path))
            var last = -1
            repeat {
                realm.refresh()
                let count = try journal.tickets(in: realm).count
                if count < last {
                    record.fail("a Realm goes back from \(last) transactions to \(count).")
                }
                if count > last { record.note(.seen(count)) }
                last = count
                System.sleep(nanoseconds: Self.pauseNanoseconds)
            } while !isStopped()
        }
    }

    /// Ends the thread, and closes its Realm.
    func finish() throws { try thread.finish() }
}

/// A process with writers, whose main thread runs its run loop.
enum AsyncProcess {
    private static let turnSeconds = 0.002

    /// Writes to the file at `path`, and tells of it in lines (``AsyncEvent``).
    static func run(_ point: StressPoint, _ path: String) throws {
        let record = AsyncRecord { WorkerChannel.say($0.description) }
        let party = try AsyncParty(
            point, path, record, process: point.number("writer", in: 0...1000, default: 1),
            beside: point["bytes"] == nil ? .none : .fullDisk)
        let thread = BackgroundThread { _ in try party.run() }
        WorkerChannel.say(VictimMessage.open)
        // A run loop without a timer or source returns at once.
        RunLoop.main.add(Timer(timeInterval: 3_600, repeats: true) { _ in }, forMode: .default)
        while !thread.isDone {
            let end = Date(timeIntervalSinceNow: turnSeconds)
            _ = RunLoop.main.run(mode: .default, before: end)
        }
        do { try thread.wait() } catch let finding as Finding {
            WorkerChannel.say("\(VictimMessage.problem): \(finding.message)")
        }
    }
}

extension StressPoint {
    /// Returns where a process writes: `queue+actor+thread`.
    func asyncPlaces() throws -> [AsyncParty.Kind] {
        let text = self["place"] ?? "\(AsyncParty.Kind.queue)"
        let kinds = text.split(separator: "+").map { AsyncParty.Kind(rawValue: String($0)) }
        guard (1...8).contains(kinds.count), !kinds.contains(nil) else {
            throw unreadable("place", text)
        }
        return kinds.compactMap { $0 }
    }

    /// Returns the number of steps of each writer. A step asks for up to six transactions.
    func asyncSteps() throws -> Int { try number("transactions", in: 1...100_000, default: 12) }
}

extension SystemCallFault {
    /// Makes syncs so slow that others commit meanwhile, as on most disks.
    static let slowSyncs = SystemCallFault(.slow, call: .fdatasync, ordinal: 1)
}
