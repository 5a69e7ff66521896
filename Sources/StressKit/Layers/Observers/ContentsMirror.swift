import Dispatch
import RealmSwift
import StressModel

// Copies of collections that are kept up to date from change sets alone: an element is read again
// only if a change set names its place. So a mirror differs from the contents when a change set is
// wrong or missing.

/// A copy of something observed. Used where it is observed only.
class ContentsMirror {
    let name: String
    let log: MirrorLog
    var token: NotificationToken?
    /// Whether it has contents to be compared.
    var isComplete: Bool { true }

    init(_ name: String, _ log: MirrorLog) {
        self.name = name
        self.log = log
    }

    func fail(_ text: String) { log.fail("mirror '\(name)': \(text)") }

    func compare(_ isEqual: Bool, _ text: () -> String) {
        log.compare(isEqual) { "mirror '\(name)': \(text())" }
    }

    /// Compares the copy with the contents, after everything is delivered.
    func checkSettled() {}

    /// Reads everything again, because a transaction was made that the mirror is not told of.
    func readAgain() {}

    func forget() {
        token?.invalidate()
        token = nil
    }
}

final class CollectionMirror<C: RealmCollection>: ContentsMirror {
    private let text: (C.Element) -> String
    /// The elements as text. Those that must be read again are nil.
    private var slots: [String?] = []
    /// The collection as it was delivered; nil before the first call.
    private var collection: C?
    override var isComplete: Bool { collection != nil }

    init(
        _ name: String, _ collection: C, _ log: MirrorLog, keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil, _ text: @escaping (C.Element) -> String
    ) {
        self.text = text
        super.init(name, log)
        token = collection.observe(keyPaths: keyPaths, on: queue) { [weak self] in
            self?.handle($0)
        }
    }

    /// A collection whose owner was deleted has no elements.
    private func contents(_ collection: C) -> [String] {
        if collection.isInvalidated { return [] }
        let shown = Array(collection.map(text))
        // Observed results show what their notifier has found, so a query is made anew as well.
        if let songs = collection as? Results<ObservedSong>,
            let fresh = songs.filter("TRUEPREDICATE") as? C
        {
            let found = Array(fresh.map(text))
            compare(shown == found) { "shows \(shown) where a new query finds \(found)." }
        }
        return shown
    }

    private func handle(_ change: RealmCollectionChange<C>) {
        log.countDelivery()
        switch change {
        case .initial(let first):
            if collection != nil { fail("the initial contents come twice.") }
            collection = first
            slots = contents(first)
        case .update(let collection, let deletions, let insertions, let modifications):
            let positions = ChangedPositions(
                deletions: deletions, insertions: insertions, modifications: modifications)
            apply(positions, contents(collection))
        case .error(let error): fail("\(error)")
        }
    }

    private func apply(_ positions: ChangedPositions, _ new: [String]) {
        if collection == nil { return fail("a change comes before the initial contents.") }
        if let fault = positions.fault(oldCount: slots.count, newCount: new.count) {
            return fail("a change \(fault): \(positions)")
        }
        let old = slots
        for index in positions.modifications { slots[index] = nil }
        for index in positions.deletions.reversed() { slots.remove(at: index) }
        for index in positions.insertions { slots.insert(nil, at: index) }
        for index in slots.indices where slots[index] == nil { slots[index] = new[index] }
        compare(slots == new) {
            let place = slots.indices.first { slots[$0] != new[$0] } ?? 0
            return "\(positions) of \(old.count) elements leaves '\(slots[place] ?? "")' at "
                + "\(place), where '\(new[place])' is."
        }
    }

    override func checkSettled() {
        guard let collection else { return fail("the initial contents are missing.") }
        let now = contents(collection)
        compare(slots == now) {
            let place = slots.indices.first { $0 >= now.count || slots[$0] != now[$0] }
            let found = collection.isInvalidated ? "not there" : "\(now.count) elements"
            return "a change is missing: \(slots.count) elements are \(found), first at "
                + "\(place ?? slots.count)."
        }
    }

    override func readAgain() {
        if let collection { slots = contents(collection) }
    }
}

final class MapMirror<Value: RealmCollectionValue>: ContentsMirror {
    typealias Entries = Map<String, Value>
    private let text: (Value) -> String
    private var entries: [String: String] = [:]
    private var map: Entries?
    override var isComplete: Bool { map != nil }

    init(
        _ name: String, _ map: Entries, _ log: MirrorLog, keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil, _ text: @escaping (Value) -> String
    ) {
        self.text = text
        super.init(name, log)
        token = map.observe(keyPaths: keyPaths, on: queue) { [weak self] in self?.handle($0) }
    }

    private func contents(_ map: Entries) -> [String: String] {
        if map.isInvalidated { return [:] }
        return Dictionary(uniqueKeysWithValues: map.map { ($0.key, text($0.value)) })
    }

    private func handle(_ change: RealmMapChange<Entries>) {
        log.countDelivery()
        switch change {
        case .initial(let first):
            if map != nil { fail("the initial contents come twice.") }
            map = first
            entries = contents(first)
        case .update(let map, let deletions, let insertions, let modifications):
            apply(deletions, insertions, modifications, contents(map))
        case .error(let error): fail("\(error)")
        }
    }

    private func apply(
        _ deletions: [String], _ insertions: [String], _ modifications: [String],
        _ new: [String: String]
    ) {
        let change = "-\(deletions) +\(insertions) ~\(modifications)"
        if map == nil { return fail("a change comes before the initial contents.") }
        if deletions.isEmpty && insertions.isEmpty && modifications.isEmpty {
            return fail("an empty change.")
        }
        for keys in [deletions, insertions, modifications] where keys != Set(keys).sorted() {
            return fail("keys are not sorted: \(change)")
        }
        let old = entries
        let wrong =
            (deletions + modifications).first { old[$0] == nil }
            ?? insertions.first { old[$0] != nil && !deletions.contains($0) }
        if let wrong { return fail("\(change) does not fit '\(wrong)' of \(old.keys.sorted())") }
        for key in deletions { entries[key] = nil }
        for key in insertions + modifications { entries[key] = new[key] }
        compare(entries == new) { "from \(old) by \(change) comes \(entries), not \(new)." }
    }

    override func checkSettled() {
        guard let map else { return fail("the initial contents are missing.") }
        let now = contents(map)
        compare(entries == now) {
            "a change is missing: \(entries) is not \(map.isInvalidated ? "there" : "\(now)")."
        }
    }

    override func readAgain() {
        if let map { entries = contents(map) }
    }
}
