import RealmSwift
import StorageEngine
import StressModel
import Testing

@testable import StressKit

/// The judges of the layer of asynchronous writes: what is known of requests, and the journal.
@Suite(.serialized) struct AsyncWritesTests {
    private let point = StressPoint("async-writes", "mixed").with("seed", 5)

    private static func ticket(_ number: Int) -> AsyncTicket {
        AsyncTicket(writer: 1, number: number)
    }

    @Test func eventsAreReadAsTheyAreWritten() {
        let ticket = AsyncTicket(writer: 3, number: 17)
        let events: [AsyncEvent] = [
            .done(ticket, order: 42), .failed(ticket, .full), .failed(ticket, .unknown),
            .failed(ticket, .other), .cancelled(ticket), .seen(5),
        ]
        for event in events { #expect(AsyncEvent(event.description) == event) }
        for text in ["", "seen", "seen x", "seen 1 2", "done 1 2", "failed 1 2 3", "open"] {
            #expect(AsyncEvent(text) == nil, "\(text)")
        }
    }

    // MARK: What is known

    /// Judges transactions, each the request of the same number but for `found`, and returns what
    /// kind of finding that is.
    private func finding(
        _ events: [AsyncEvent], in found: [Int], isWhole: Bool = false
    ) -> Finding.Kind? {
        do {
            try AsyncLedger(events).judge(found.map(Self.ticket), isWhole: isWhole)
            return nil
        } catch {
            return error.kind
        }
    }

    private static let threeDone = (1...3).map { AsyncEvent.done(ticket($0), order: $0) }

    @Test func aFileWithAllThatWasAcknowledgedIsRight() {
        #expect(finding(Self.threeDone, in: [1, 2, 3], isWhole: true) == nil)
        #expect(finding(Self.threeDone, in: [1, 2, 3, 4, 5]) == nil)
        #expect(finding([.seen(2), .failed(Self.ticket(3), .unknown)], in: [1, 2, 3]) == nil)
    }

    @Test func whatIsMissingIsFound() {
        #expect(finding(Self.threeDone, in: [1, 2]) == .lostCommit)
        #expect(finding(Self.threeDone, in: [1, 3, 2]) == .lostCommit)
        #expect(finding([.seen(4)], in: [1, 2, 3]) == .lostCommit)
    }

    @Test func whatMustNotBeThereIsFound() {
        #expect(finding([.cancelled(Self.ticket(3))], in: [1, 2, 3]) == .wrongState)
        #expect(finding([.failed(Self.ticket(3), .full)], in: [1, 2, 3]) == .wrongState)
        #expect(finding([.failed(Self.ticket(1), .other)], in: [1, 2, 3]) == .wrongState)
        #expect(finding([], in: [1, 2, 1]) == .wrongState)
        #expect(finding(Self.threeDone, in: [1, 2, 3, 4], isWhole: true) == .wrongState)
        let again = AsyncEvent.done(Self.ticket(4), order: 2)
        #expect(finding(Self.threeDone + [again], in: [1, 2, 3, 4]) == .wrongState)
    }

    // MARK: The journal

    /// Makes 20 transactions, and `change`, and returns the message about what is found then.
    private func problem(after change: (Realm) -> Void) throws -> String? {
        let folder = try ScratchFolder()
        let path = folder.path + "/journal"
        let realm = try Realm(configuration: point.asyncConfiguration(path))
        let journal = try point.asyncJournal()
        try journal.create(in: realm)
        try realm.write {
            for number in 1...20 {
                #expect(journal.append(Self.ticket(number), isInTurn: true, to: realm) == number)
            }
        }
        #expect(try journal.tickets(in: realm) == (1...20).map(Self.ticket))
        try realm.write { change(realm) }
        do throws(Finding) {
            _ = try journal.tickets(in: realm)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func aJournalThatIsNoPrefixIsFound() throws {
        func entry(_ order: Int, of realm: Realm) -> AsyncEntry {
            realm.object(ofType: AsyncEntry.self, forPrimaryKey: order)!
        }
        #expect(try problem { _ in } == nil)
        #expect(try problem { $0.delete(entry(7, of: $0)) }?.contains("entry 8") == true)
        #expect(try problem { $0.delete(entry(20, of: $0)) }?.contains("entry 12") == true)
        #expect(try problem { entry(20, of: $0).text += "x" }?.contains("entry 20") == true)
        #expect(try problem { entry(1, of: $0).text = "x" }?.contains("entry 1 ") == true)
        #expect(try problem { entry(9, of: $0).writer = 2 }?.contains("entry 9") == true)
        let total = try problem { $0.objects(AsyncTotal.self).first?.count = 21 }
        #expect(total?.contains("21 counted") == true)
    }

    @Test func requestsThatOvertakeOthersAreFound() throws {
        let folder = try ScratchFolder()
        let realm = try Realm(configuration: point.asyncConfiguration(folder.path + "/journal"))
        let journal = try point.asyncJournal()
        try journal.create(in: realm)
        try realm.write {
            for (number, isInTurn) in [(2, true), (1, false), (4, true), (3, true)] {
                _ = journal.append(Self.ticket(number), isInTurn: isInTurn, to: realm)
            }
        }
        #expect {
            try journal.tickets(in: realm)
        } throws: {
            ($0 as? Finding)?.message == "request 3 of writer 1 comes after 4."
        }
    }

    // MARK: Points

    @Test func aPointNamesItsPlaces() throws {
        #expect(
            try point.with("place", "run-loop+actor+thread+main").asyncPlaces()
                == [.runLoop, .actor, .thread, .main])
        for text in ["", "passed", "queue+x"] {
            #expect(throws: (any Error).self) { try point.with("place", text).asyncPlaces() }
        }
    }

    @Test func aPointOfAKillIsTriedAlone() throws {
        let killed = StressPoint("async-writes", "killed").with("place", "queue+actor")
            .with("transactions", 3).with("seed", 5).with("kill", "before:fdatasync:3")
        let report = try report(on: killed, seconds: 20)
        #expect(report.points == 1)
        #expect(report.failures == [])
        #expect(report.coverage["processes killed"] == 1)
    }
}
