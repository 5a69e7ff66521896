import Foundation
import RealmSwift
import StressModel

// Copies of collections that are kept up to date from change sets alone: an element is read again
// only if a change set names its position. So a mirror differs from the contents when a change set
// is wrong or missing.

/// A copy of something observed.
class ContentsMirror {
    let name: String
    var token: NotificationToken?
    private(set) var failures: [String] = []

    init(_ name: String) { self.name = name }

    func fail(_ text: String) { failures.append("\(name): \(text)") }

    /// Compares the copy with the contents, after everything is delivered.
    func checkSettled() {}
}

final class CollectionMirror<C: RealmCollection>: ContentsMirror {
    private let collection: C
    private let text: (C.Element) -> String
    /// The elements as text. Those that must be read again are nil.
    private var slots: [String?] = []
    private var hasContents = false
    /// Called with the old elements at each change, and with none at first.
    var onChange: (([String], ChangedPositions?) -> Void)?

    init(_ name: String, _ collection: C, _ text: @escaping (C.Element) -> String) {
        self.collection = collection
        self.text = text
        super.init(name)
        token = collection.observe { [unowned self] in self.handle($0) }
    }

    private func contents(_ collection: C) -> [String] {
        let shown = Array(collection).map(text)
        // Observed results show what their notifier has found, so a query is made anew as well.
        if let tracks = collection as? Results<Track>,
            let fresh = tracks.filter("TRUEPREDICATE") as? C
        {
            let found = Array(fresh).map(text)
            if shown != found { fail("\(shown) is shown where a new query finds \(found)") }
        }
        return shown
    }

    private func handle(_ change: RealmCollectionChange<C>) {
        switch change {
        case .initial(let collection):
            if hasContents { fail("initial contents twice") }
            hasContents = true
            slots = contents(collection)
            onChange?([], nil)
        case .update(let collection, let deletions, let insertions, let modifications):
            let positions = ChangedPositions(
                deletions: deletions, insertions: insertions, modifications: modifications)
            apply(positions, contents(collection))
        case .error(let error): fail("\(error)")
        }
    }

    private func apply(_ positions: ChangedPositions, _ new: [String]) {
        if !hasContents { return fail("no initial contents") }
        if let fault = positions.fault(oldCount: slots.count, newCount: new.count) {
            return fail("a change \(fault): \(positions)")
        }
        let old = slots.compactMap { $0 }
        for index in positions.modifications { slots[index] = nil }
        for index in positions.deletions.reversed() { slots.remove(at: index) }
        for index in positions.insertions { slots.insert(nil, at: index) }
        for index in slots.indices where slots[index] == nil { slots[index] = new[index] }
        if slots != new { fail("from \(old) by \(positions) came \(slots), not \(new)") }
        onChange?(old, positions)
    }

    override func checkSettled() {
        let now = contents(collection)
        if slots != now { fail("a change is missing: \(slots) is not \(now)") }
    }
}

final class MapMirror<Value: RealmCollectionValue>: ContentsMirror {
    private let map: Map<String, Value>
    private let text: (Value) -> String
    private var entries: [String: String] = [:]
    private var hasContents = false

    init(_ name: String, _ map: Map<String, Value>, _ text: @escaping (Value) -> String) {
        self.map = map
        self.text = text
        super.init(name)
        token = map.observe { [unowned self] in self.handle($0) }
    }

    private func contents(_ map: Map<String, Value>) -> [String: String] {
        Dictionary(uniqueKeysWithValues: map.map { ($0.key, text($0.value)) })
    }

    private func handle(_ change: RealmMapChange<Map<String, Value>>) {
        switch change {
        case .initial(let map):
            if hasContents { fail("initial contents twice") }
            hasContents = true
            entries = contents(map)
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
        if deletions.isEmpty && insertions.isEmpty && modifications.isEmpty {
            fail("an empty change")
        }
        for keys in [deletions, insertions, modifications] where keys != Set(keys).sorted() {
            fail("keys are not sorted: \(change)")
        }
        let old = entries
        if deletions.contains(where: { old[$0] == nil }) { fail("\(change) deletes from \(old)") }
        if modifications.contains(where: { old[$0] == nil }) { fail("\(change) modifies \(old)") }
        for key in deletions { entries[key] = nil }
        if insertions.contains(where: { entries[$0] != nil }) { fail("\(change) in \(old)") }
        for key in insertions + modifications { entries[key] = new[key] }
        if entries != new { fail("from \(old) by \(change) came \(entries), not \(new)") }
    }

    override func checkSettled() {
        let now = contents(map)
        if entries != now { fail("a change is missing: \(entries) is not \(now)") }
    }
}

/// A copy of some properties of a track.
final class TrackMirror: ContentsMirror {
    private let track: Track
    private var title: String
    private var rank: Int
    private var group: Int?

    init(_ name: String, _ track: Track) {
        self.track = track
        (title, rank, group) = (track.title, track.rank, track.group)
        super.init(name)
        token = track.observe { [unowned self] (change: ObjectChange<Track>) in
            self.handle(change)
        }
    }

    private func handle(_ change: ObjectChange<Track>) {
        guard case .change(_, let properties) = change else { return fail("\(change)") }
        if properties.isEmpty { fail("an empty change") }
        for property in properties {
            switch property.name {
            case "title": title = property.newValue as? String ?? "no title"
            case "rank": rank = property.newValue as? Int ?? -1
            case "group": group = property.newValue as? Int
            default: break
            }
        }
        checkSettled()
    }

    override func checkSettled() {
        let now = (track.title, track.rank, track.group)
        if (title, rank, group) != now { fail("\((title, rank, group)) is not \(now)") }
    }
}
