import Foundation
import RealmSwift

// What observers of sections are told, and copies of sections that are kept up to date from that
// alone.

/// The contents of a section, as text.
struct SectionContents: Equatable {
    var key: String
    var elements: [String]
}

/// The positions of a change of sections. A pair is the position of a section and that of an
/// element in it.
struct SectionPositions: Equatable, Sendable {
    var deletions: [[Int]] = []
    var insertions: [[Int]] = []
    var modifications: [[Int]] = []
    var newSections: [Int] = []
    var oldSections: [Int] = []

    /// Returns what is wrong with the positions; nil if nothing is.
    func fault(from old: [SectionContents], to new: [SectionContents]) -> String? {
        if self == SectionPositions() { return "is empty" }
        for pairs in [deletions, insertions, modifications] where !Self.isAscending(pairs) {
            return "is not sorted: \(pairs)"
        }
        if !deletions.allSatisfy({ Self.has($0, in: old) }) { return "deletes what is not there" }
        if !(insertions + modifications).allSatisfy({ Self.has($0, in: new) }) {
            return "names elements that are not there"
        }
        if !oldSections.allSatisfy({ old.indices.contains($0) }) {
            return "deletes sections that are not there"
        }
        if !newSections.allSatisfy({ new.indices.contains($0) }) {
            return "names sections that are not there"
        }
        if deletions.contains(where: { oldSections.contains($0[0]) }) {
            return "lists elements of a section that is deleted as a whole"
        }
        for section in newSections {
            let listed = insertions.filter { $0[0] == section }.map { $0[1] }
            if listed != Array(new[section].elements.indices) {
                return "does not list the elements of new section \(section)"
            }
        }
        if !Set(insertions).isDisjoint(with: modifications) { return "modifies what it inserts" }
        return keptFault(from: old.map(\.key), to: new.map(\.key))
    }

    /// A section that is there before and after counts as deleted and inserted only if sections
    /// have changed places.
    private func keptFault(from old: [String], to new: [String]) -> String? {
        let (oldKeys, newKeys) = (Set(old), Set(new))
        let kept = old.filter { newKeys.contains($0) }
        if kept != new.filter({ oldKeys.contains($0) }) { return nil }
        if oldSections.contains(where: { newKeys.contains(old[$0]) }) {
            return "deletes a section that is still there"
        }
        if newSections.contains(where: { oldKeys.contains(new[$0]) }) {
            return "inserts a section that was there"
        }
        return nil
    }

    private static func isAscending(_ pairs: [[Int]]) -> Bool {
        zip(pairs, pairs.dropFirst()).allSatisfy { $0.0.lexicographicallyPrecedes($0.1) }
    }

    private static func has(_ pair: [Int], in sections: [SectionContents]) -> Bool {
        pair.count == 2 && sections.indices.contains(pair[0])
            && sections[pair[0]].elements.indices.contains(pair[1])
    }

    /// Returns what the change makes of `old`. Only what it names is taken from `new`. It is nil
    /// if the positions do not fit together.
    func applied(
        to old: [SectionContents], reading new: [SectionContents]
    ) -> [SectionContents]? {
        var sections = old
        for pair in deletions.reversed() { sections[pair[0]].elements.remove(at: pair[1]) }
        for index in oldSections.reversed() { sections.remove(at: index) }
        for index in newSections {
            if index > sections.count { return nil }
            sections.insert(SectionContents(key: new[index].key, elements: []), at: index)
        }
        for pair in insertions {
            guard pair[0] < sections.count, pair[1] <= sections[pair[0]].elements.count else {
                return nil
            }
            sections[pair[0]].elements.insert(new[pair[0]].elements[pair[1]], at: pair[1])
        }
        for pair in modifications {
            guard pair[0] < sections.count, pair[1] < sections[pair[0]].elements.count else {
                return nil
            }
            sections[pair[0]].elements[pair[1]] = new[pair[0]].elements[pair[1]]
        }
        return sections
    }
}

/// A change of sections, or of one section.
enum RecordedSections: Equatable, Sendable {
    /// With the number of sections, or of elements of one section.
    case initial(Int)
    case update(SectionPositions)

    init<C: RealmSectionedResult>(_ change: SectionedResultsChange<C>) {
        switch change {
        case .initial(let sections): self = .initial(sections.count)
        case .update(_, let deletions, let insertions, let modifications, let new, let old):
            self = .update(
                SectionPositions(
                    deletions: deletions.map { Array($0) },
                    insertions: insertions.map { Array($0) },
                    modifications: modifications.map { Array($0) },
                    newSections: Array(new), oldSections: Array(old)))
        }
    }

    static func changed(
        deletions: [[Int]] = [], insertions: [[Int]] = [], modifications: [[Int]] = [],
        newSections: [Int] = [], oldSections: [Int] = []
    ) -> RecordedSections {
        .update(
            SectionPositions(
                deletions: deletions, insertions: insertions, modifications: modifications,
                newSections: newSections, oldSections: oldSections))
    }

    /// The positions of elements, without those of sections.
    var items: RecordedItems? {
        guard case .update(let change) = self else { return nil }
        return RecordedItems(
            deletions: change.deletions.compactMap(\.last),
            insertions: change.insertions.compactMap(\.last),
            modifications: change.modifications.compactMap(\.last),
            isNew: !change.newSections.isEmpty, isGone: !change.oldSections.isEmpty)
    }
}

extension [RecordedSections] {
    /// The positions of elements in each change. Initial contents are left out.
    var items: [RecordedItems] { compactMap(\.items) }
}

/// A change of one section.
struct RecordedItems: Equatable, Sendable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
    var isNew = false
    var isGone = false
}

/// A copy of sections.
final class SectionsMirror<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
    ContentsMirror
{
    private let sections: SectionedResults<Key, Element>
    private let text: (Element) -> String
    private var mirrored: [SectionContents] = []
    private var hasContents = false

    /// With key paths, `text` depends on these only.
    init(
        _ name: String, _ sections: SectionedResults<Key, Element>, keyPaths: [String]? = nil,
        _ text: @escaping (Element) -> String
    ) {
        self.sections = sections
        self.text = text
        super.init(name)
        token = sections.observe(keyPaths: keyPaths) { [unowned self] in self.handle($0) }
    }

    private func contents(_ sections: SectionedResults<Key, Element>) -> [SectionContents] {
        sections.map { section in
            SectionContents(key: "\(section.key)", elements: Array(section).map(text))
        }
    }

    private func handle(_ change: SectionedResultsChange<SectionedResults<Key, Element>>) {
        switch change {
        case .initial(let sections):
            if hasContents { fail("initial contents twice") }
            hasContents = true
            mirrored = contents(sections)
        case .update(let sections, _, _, _, _, _):
            if case .update(let positions) = RecordedSections(change) {
                apply(positions, contents(sections))
            }
        }
    }

    private func apply(_ change: SectionPositions, _ new: [SectionContents]) {
        if !hasContents { return fail("no initial contents") }
        if let fault = change.fault(from: mirrored, to: new) {
            fail("a change \(fault): \(change), from \(mirrored) to \(new)")
        } else if let next = change.applied(to: mirrored, reading: new), next == new {
            mirrored = next
        } else {
            fail("\(change) does not lead from \(mirrored) to \(new)")
        }
    }

    override func checkSettled() {
        let now = contents(sections)
        if mirrored != now { fail("a change is missing: \(mirrored) is not \(now)") }
    }
}

/// A copy of one section.
final class SectionMirror<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
    ContentsMirror
{
    private let section: ResultsSection<Key, Element>
    private let text: (Element) -> String
    private var elements: [String] = []
    private var hasContents = false

    /// With key paths, `text` depends on these only.
    init(
        _ name: String, _ section: ResultsSection<Key, Element>, keyPaths: [String]? = nil,
        _ text: @escaping (Element) -> String
    ) {
        self.section = section
        self.text = text
        super.init(name)
        token = section.observe(keyPaths: keyPaths) { [unowned self] in self.handle($0) }
    }

    private func handle(_ change: SectionedResultsChange<ResultsSection<Key, Element>>) {
        switch change {
        case .initial(let section):
            if hasContents { fail("initial contents twice") }
            hasContents = true
            elements = Array(section).map(text)
        case .update(let section, _, _, _, _, _):
            if !hasContents { return fail("no initial contents") }
            guard let items = RecordedSections(change).items else { return }
            let new = Array(section).map(text)
            if let next = applied(items, reading: new), next == new {
                elements = next
            } else {
                fail("\(items) does not lead from \(elements) to \(new)")
            }
        }
    }

    private func applied(_ change: RecordedItems, reading new: [String]) -> [String]? {
        var next = elements
        if change == RecordedItems() { return nil }
        if change.isGone {
            // The elements of a section that is gone are not listed.
            if !change.deletions.isEmpty || elements.isEmpty { return nil }
            next = []
        } else if change.deletions.count == elements.count && !elements.isEmpty
            && change.insertions.isEmpty
        {
            return nil
        }
        for index in change.deletions.reversed() {
            if !next.indices.contains(index) { return nil }
            next.remove(at: index)
        }
        if change.isNew && !next.isEmpty { return nil }
        for index in change.insertions {
            if index > next.count || index >= new.count { return nil }
            next.insert(new[index], at: index)
        }
        for index in change.modifications {
            if index >= next.count || index >= new.count { return nil }
            next[index] = new[index]
        }
        return next
    }

    override func checkSettled() {
        let now = Array(section).map(text)
        if elements != now { fail("a change is missing: \(elements) is not \(now)") }
    }
}

extension ObservationScene {
    /// The tracks by their groups, in the order of their identifiers.
    var groups: SectionedResults<Int?, Track> {
        tracks.sectioned(by: \.group, sortDescriptors: ["group", "id"])
    }

    /// Observes sections, and returns what they report after their initial contents.
    func record<S: RealmSectionedResult>(
        _ sections: S, keyPaths: [String]? = nil
    ) throws -> ChangeRecording<RecordedSections> {
        let recording = ChangeRecording<RecordedSections>(self)
        let log = recording.log
        recording.token = sections.observe(keyPaths: keyPaths) { log.append(RecordedSections($0)) }
        try pump { log.count > 0 }
        log.removeAll()
        return recording
    }
}

/// Runs `body` with six tracks: 0 and 1 are in group 0, 2 and 3 in group 1, 4 and 5 in group 2.
func observingGroups(
    _ body: @escaping @Sendable (ObservationScene) throws -> Void
) async throws {
    try await observing(tracks: 6) { scene in
        try scene.realm.write { for id in 0..<6 { try scene.track(id).group = id / 2 } }
        try body(scene)
    }
}
