import Dispatch
import RealmSwift

/// A copy of the properties of an object, as text by name.
final class ObjectMirror<T: ObjectBase>: ContentsMirror {
    /// Returns the text of each property. Of collections and links, only what changes with the
    /// property itself.
    typealias Reading = (T) -> [String: String]
    /// Returns the text of a delivered value; nil if the value is not delivered or not compared.
    typealias ValueText = (_ property: String, _ value: Any) -> String?

    private let object: T
    private let read: Reading
    private let text: ValueText
    private var values: [String: String]
    private(set) var isGone = false

    init(
        _ name: String, _ object: T, _ log: MirrorLog, reading read: @escaping Reading,
        _ text: @escaping ValueText,
        observe: (T, @escaping (ObjectChange<T>) -> Void) -> NotificationToken
    ) {
        self.object = object
        self.read = read
        self.text = text
        values = read(object)
        super.init(name, log)
        token = observe(object) { [weak self] in self?.handle($0) }
    }

    private func handle(_ change: ObjectChange<T>) {
        log.countDelivery()
        if isGone { return fail("something is told of an object after its deletion.") }
        switch change {
        case .error(let error): fail("\(error)")
        case .deleted:
            isGone = true
            compare(object.isInvalidated) { "an object that exists is said to be deleted." }
        case .change(_, let properties): apply(properties)
        }
    }

    private func apply(_ properties: [PropertyChange]) {
        if properties.isEmpty { return fail("an empty change.") }
        let now = read(object)
        for property in properties {
            let name = property.name
            if let old = property.oldValue.flatMap({ text(name, $0) }), old != values[name] {
                fail("'\(name)' was '\(values[name] ?? "")', not '\(old)' as is told.")
            }
            if let new = property.newValue.flatMap({ text(name, $0) }), new != now[name] {
                fail("'\(name)' is '\(now[name] ?? "")', not '\(new)' as is told.")
            }
            values[name] = now[name]
        }
        compare(values == now) { "\(properties.map(\.name)) leads to \(values), not \(now)." }
    }

    override func checkSettled() {
        if object.isInvalidated {
            return compare(isGone) { "a deletion is not told." }
        }
        let now = read(object)
        compare(values == now && !isGone) { "a change is missing: \(values) is not \(now)." }
    }

    override func readAgain() {
        if !object.isInvalidated { values = read(object) }
    }
}

/// What a handler of a Realm as a whole sees: the number of transactions.
final class RealmMirror: ContentsMirror {
    private let realm: Realm
    private var last: Int

    init(_ name: String, _ realm: Realm, _ log: MirrorLog) {
        self.realm = realm
        last = ObservedChanges.count(in: realm)
        super.init(name, log)
        token = realm.observe { [weak self] in self?.handle($0, $1) }
    }

    private func handle(_ notification: Realm.Notification, _ realm: Realm) {
        log.countDelivery()
        let count = ObservedChanges.count(in: realm)
        switch notification {
        case .didChange:
            compare(count >= last) { "the Realm goes back from \(last) to \(count)." }
            last = count
        case .refreshRequired: fail("a Realm that moves by itself is told to refresh.")
        }
    }

    override func checkSettled() {
        let count = ObservedChanges.count(in: realm)
        compare(last == count) { "the Realm has moved to \(count) and has told \(last)." }
    }

    override func readAgain() { last = ObservedChanges.count(in: realm) }
}

/// An observer of the number of transactions.
final class CountMirror: ContentsMirror {
    private final class Contents { var isThere = false }
    private let contents = Contents()

    override var isComplete: Bool { contents.isThere }

    /// - Parameter onCall: is called with each number that is told.
    init(
        _ realm: Realm, _ log: MirrorLog, on queue: DispatchQueue?,
        _ onCall: @escaping (Int) -> Void
    ) {
        super.init("transactions", log)
        let contents = contents
        token = realm.objects(ObservedCount.self).observe(on: queue) { change in
            log.countDelivery()
            contents.isThere = true
            switch change {
            case .initial(let counts), .update(let counts, _, _, _):
                onCall(counts.first?.count ?? 0)
            case .error(let error): log.fail("\(error)")
            }
        }
    }
}

/// Mirrors of an album that is deleted and made anew now and then. A handler observes the new one.
final class RenewedMirror: ContentsMirror {
    private let realm: Realm
    private var album: ObservedAlbum?
    private var current: [ContentsMirror] = []
    /// Mirrors of albums that are gone, or should be.
    private var former: [ContentsMirror] = []
    private var isTold = false

    override var isComplete: Bool { isTold && current.allSatisfy(\.isComplete) }

    init(_ name: String, _ realm: Realm, _ log: MirrorLog) {
        self.realm = realm
        super.init(name, log)
        token = realm.objects(ObservedAlbum.self)
            .filter("id == %@", ObservedChanges.doomedAlbum)
            .observe { [weak self] in self?.handle($0) }
    }

    private func handle(_ change: RealmCollectionChange<Results<ObservedAlbum>>) {
        log.countDelivery()
        isTold = true
        switch change {
        case .initial(let albums): observe(albums.first)
        case .update(let albums, let deletions, let insertions, _):
            if deletions.isEmpty && insertions.isEmpty { return }
            former += current
            current = []
            observe(albums.first)
        case .error(let error): fail("\(error)")
        }
    }

    /// Observes a new instance of the album if the old one is invalid, and the album exists.
    func observeAgain() {
        let id = ObservedChanges.doomedAlbum
        guard album?.isInvalidated == true,
            let again = realm.object(ofType: ObservedAlbum.self, forPrimaryKey: id)
        else { return }
        for mirror in current { mirror.forget() }
        observe(again)
    }

    private func observe(_ album: ObservedAlbum?) {
        self.album = album
        guard let album else { return }
        current = [
            CollectionMirror("songs of a renewed album", album.songs, log, ObservedText.song),
            MapMirror("map of a renewed album", album.numberMap, log) { "\($0)" },
            ObjectMirror(
                "renewed album", album, log, reading: { ["name": $0.name] },
                { $0 == "name" ? $1 as? String : nil }, observe: { $0.observe($1) }),
        ]
    }

    override func checkSettled() {
        for mirror in former + current where mirror.isComplete { mirror.checkSettled() }
        former = []
    }

    override func readAgain() { for mirror in current { mirror.readAgain() } }

    override func forget() {
        super.forget()
        for mirror in former + current { mirror.forget() }
        (former, current) = ([], [])
    }
}
