import Dispatch
import Foundation
import RealmSwift

/// A copy of sections that is kept from change sets alone.
final class SectionMirror<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
    ContentsMirror
{
    typealias Sections = SectionedResults<Key, Element>

    /// A section. What must be read again is nil.
    private struct Section: Equatable {
        var key: String?
        var slots: [String?]
    }

    private let text: (Element) -> String
    private var sections: [Section] = []
    private var collection: Sections?
    override var isComplete: Bool { collection != nil }

    init(
        _ name: String, _ collection: Sections, _ log: MirrorLog, keyPaths: [String]? = nil,
        on queue: DispatchQueue? = nil, _ text: @escaping (Element) -> String
    ) {
        self.text = text
        super.init(name, log)
        token = collection.observe(keyPaths: keyPaths, on: queue) { [weak self] change in
            self?.handle(change)
        }
    }

    private func contents(_ collection: Sections) -> [Section] {
        collection.map { Section(key: "\($0.key)", slots: $0.map(text)) }
    }

    private func handle(_ change: SectionedResultsChange<Sections>) {
        log.countDelivery()
        switch change {
        case .initial(let first):
            if collection != nil { fail("the initial contents come twice.") }
            collection = first
            sections = contents(first)
        case .update(
            let collection, let deletions, let insertions, let modifications,
            let inserted, let deleted):
            let told =
                "-\(deletions) +\(insertions) ~\(modifications), sections -\(Array(deleted)) "
                + "+\(Array(inserted))"
            if self.collection == nil { return fail("a change comes before the contents.") }
            let new = contents(collection)
            let fits =
                remove(deletions, deleted) && insert(insertions, inserted)
                && mark(modifications)
            guard fits, sections.map(\.slots.count) == new.map(\.slots.count) else {
                return fail("\(told) does not lead to \(new.map(\.slots.count)) elements.")
            }
            readAgain(from: new)
            compare(sections == new) { "\(told) leads to other contents." }
        }
    }

    private func remove(_ paths: [IndexPath], _ deleted: IndexSet) -> Bool {
        for path in paths.sorted(by: >) {
            guard has(path) else { return false }
            sections[path.section].slots.remove(at: path.item)
        }
        for index in deleted.reversed() {
            guard sections.indices.contains(index) else { return false }
            sections.remove(at: index)
        }
        return true
    }

    private func insert(_ paths: [IndexPath], _ inserted: IndexSet) -> Bool {
        for index in inserted {
            guard index <= sections.count else { return false }
            sections.insert(Section(key: nil, slots: []), at: index)
        }
        for path in paths.sorted(by: <) {
            guard sections.indices.contains(path.section),
                path.item <= sections[path.section].slots.count
            else { return false }
            sections[path.section].slots.insert(nil, at: path.item)
        }
        return true
    }

    private func mark(_ paths: [IndexPath]) -> Bool {
        for path in paths {
            guard has(path) else { return false }
            sections[path.section].slots[path.item] = nil
        }
        return true
    }

    private func has(_ path: IndexPath) -> Bool {
        sections.indices.contains(path.section)
            && sections[path.section].slots.indices.contains(path.item)
    }

    private func readAgain(from new: [Section]) {
        for (index, section) in new.enumerated() {
            if sections[index].key == nil { sections[index].key = section.key }
            for item in section.slots.indices where sections[index].slots[item] == nil {
                sections[index].slots[item] = section.slots[item]
            }
        }
    }

    override func checkSettled() {
        guard let collection else { return fail("the initial contents are missing.") }
        let now = contents(collection)
        compare(sections == now) {
            "a change is missing: \(sections.map(\.slots.count)) elements are "
                + "\(now.map(\.slots.count))."
        }
    }

    override func readAgain() {
        if let collection { sections = contents(collection) }
    }
}
