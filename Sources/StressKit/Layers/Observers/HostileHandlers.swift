import RealmSwift
import StressModel

/// Handlers that do what handlers are not expected to do. Used where their Realm is.
///
/// Each misbehaves three times at most, so that deliveries come to an end.
final class HostileHandlers {
    enum Behaviour: String, CaseIterable, Sendable {
        /// Ends its own registration.
        case ends
        /// Releases its own token.
        case drops
        /// Ends the registrations of the other hostile handlers.
        case endsOthers
        /// Carries out a transaction.
        case writes
        case cancelsWrite
        /// Deletes the object that it observes.
        case deletesObserved
        /// Deletes the album whose songs it observes.
        case deletesOwner
        /// Observes something else, which becomes a mirror of the set.
        case observesMore
        case refreshes
        /// Runs the run loop, if it was called by one.
        case turnsRunLoop
        /// Throws away its token and observes the same again.
        case startsOver
    }

    private static let mostActs = 3
    /// The numbers of the transactions of handlers begin here.
    private static let firstStep = 1 << 24

    private let mirrors: MirrorSet
    private let place: ObservingPlace
    private let changes: ObservedChanges
    private var tokens: [Int: NotificationToken] = [:]
    private var acts: [Int: Int] = [:]
    /// Objects that a handler has deleted, whose deletion it must be told, unless it was ended.
    private var deletions: [Int: Bool] = [:]
    private var step = firstStep

    private var realm: Realm { mirrors.realm }

    init(_ mirrors: MirrorSet, at place: ObservingPlace, _ changes: ObservedChanges) {
        self.mirrors = mirrors
        self.place = place
        self.changes = changes
    }

    /// Registers a handler.
    func add(_ behaviour: Behaviour) {
        let number = acts.count
        acts[number] = 0
        tokens[number] = observe(behaviour, number)
    }

    private func observe(_ behaviour: Behaviour, _ number: Int) -> NotificationToken? {
        let songs = realm.objects(ObservedSong.self)
        let albums = realm.objects(ObservedAlbum.self)
        let act = { [weak self] () -> Void in self?.act(behaviour, number) }
        switch behaviour {
        case .deletesObserved:
            guard let song = songs.last, song.id > 2 else { return nil }
            return song.observe { [weak self] (change: ObjectChange<ObservedSong>) in
                self?.delete(change, number)
            }
        case .deletesOwner:
            let album = albums.last { $0.id == ObservedChanges.doomedAlbum }
            return album?.songs.observe { _ in act() }
        case .refreshes, .endsOthers: return albums.observe { _ in act() }
        default: return songs.sorted(byKeyPath: "rank").observe { _ in act() }
        }
    }

    // MARK: Called by handlers

    private func mayAct(_ number: Int) -> Bool {
        mirrors.log.countDelivery()
        let count = acts[number] ?? 0
        acts[number] = count + 1
        return count < Self.mostActs
    }

    private func act(_ behaviour: Behaviour, _ number: Int) {
        guard mayAct(number) else { return }
        switch behaviour {
        case .ends: tokens[number]?.invalidate()
        case .drops: tokens[number] = nil
        case .endsOthers:
            for (other, token) in tokens where other != number {
                token.invalidate()
                deletions[other] = nil
            }
        case .writes: write { changes.change($0, step: nextStep()) }
        case .cancelsWrite: cancelWrite()
        case .deletesObserved: break
        case .deletesOwner: deleteDoomedAlbum()
        case .observesMore: observeMore()
        case .refreshes: realm.refresh()
        case .turnsRunLoop: place.turn()
        case .startsOver: tokens[number] = observe(.startsOver, number)
        }
    }

    private func delete(_ change: ObjectChange<ObservedSong>, _ number: Int) {
        switch change {
        case .deleted: deletions[number] = true
        case .error(let error): mirrors.log.fail("\(error)")
        case .change(let song, _):
            if deletions[number] != nil {
                return mirrors.log.fail("a change is told of an object that was deleted.")
            }
            guard mayAct(number), !realm.isInWriteTransaction else { return }
            write { realm in
                ObservedChanges.countOne(realm)
                // Another transaction may have been faster.
                if song.isInvalidated { return }
                realm.delete(song)
                deletions[number] = false
            }
        }
    }

    private func nextStep() -> Int {
        step += 1
        return step
    }

    /// Carries out a transaction, unless the handler was called at the beginning of one.
    private func write(_ body: (Realm) -> Void) {
        if realm.isInWriteTransaction { return }
        do { try realm.write { body(realm) } } catch {
            mirrors.log.fail("a handler's transaction fails: \(error)")
        }
    }

    private func cancelWrite() {
        if realm.isInWriteTransaction { return }
        realm.beginWrite()
        changes.change(realm, step: nextStep())
        realm.cancelWrite()
        mirrors.noteCancelledWrite()
    }

    private func deleteDoomedAlbum() {
        write { realm in
            ObservedChanges.countOne(realm)
            let id = ObservedChanges.doomedAlbum
            if let album = realm.object(ofType: ObservedAlbum.self, forPrimaryKey: id) {
                realm.delete(album)
            }
        }
    }

    private func observeMore() {
        let songs = realm.objects(ObservedSong.self).filter("rank > %@", acts.count % 8)
        mirrors.add(
            CollectionMirror("observed in a handler", songs, mirrors.log, ObservedText.song))
    }

    // MARK: Afterwards

    /// Checks, once everything is delivered, that deletions were told. Ends all handlers.
    func end() {
        for (number, wasTold) in deletions where !wasTold && tokens[number] != nil {
            mirrors.log.fail("the handler that deleted what it observes is not told of that.")
        }
        tokens = [:]
        deletions = [:]
    }
}
