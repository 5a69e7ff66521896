import Foundation
import StorageEngine

/// What a handler of sections, or of one section, is told.
///
/// An index path is the position of a section and that of an element in it. All positions are in
/// ascending order. Deletions, and sections to delete, are positions before the change; insertions,
/// modifications and sections to insert are positions after it. To bring a list on a screen up to
/// date, delete elements, then sections, insert sections, then elements, and reload the modified
/// ones.
public enum SectionedResultsChange<Collection> {
    /// The first call: the sections can be read.
    case initial(Collection)
    /// The sections have changed since the last call.
    ///
    /// The elements of a section that is deleted as a whole are not listed. Those of an inserted
    /// section are all listed as insertions. A section that changes its place among those that stay
    /// is deleted and inserted. An element that changes its section or its place is, too.
    case update(
        Collection, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

/// An alternative name of ``SectionedResultsChange``.
public typealias RealmSectionedResultsChange = SectionedResultsChange

/// The difference between two states of sections, as positions.
struct SectionDifference {
    private(set) var deletions: [IndexPath] = []
    private(set) var insertions: [IndexPath] = []
    private(set) var modifications: [IndexPath] = []
    private(set) var sectionsToInsert = IndexSet()
    private(set) var sectionsToDelete = IndexSet()

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
            && sectionsToInsert.isEmpty && sectionsToDelete.isEmpty
    }

    /// Compares two states.
    ///
    /// - Parameters:
    ///   - old: The sections before.
    ///   - new: The sections after.
    ///   - origins: For each element, its position before; nil for an element that is new.
    ///   - modified: The positions before of the elements that count as modified.
    ///   - only: The only section that is compared; nil for all.
    init<Key>(
        from old: SectionLayout<Key>, to new: SectionLayout<Key>, origins: [Int?],
        modified: Set<Int>, only: StoredIdentity<Key>?
    ) {
        let oldSections = old.sections.indices.filter { only == nil || old.sections[$0] == only }
        let newSections = new.sections.indices.filter { only == nil || new.sections[$0] == only }
        var kept: [Int: Int] = [:]
        let matches = SequenceDiff.matches(
            oldSections.map { old.sections[$0] }, newSections.map { new.sections[$0] })
        for match in matches { kept[newSections[match.new]] = oldSections[match.old] }
        let keptOld = Set(kept.values)
        sectionsToDelete = IndexSet(oldSections.filter { !keptOld.contains($0) })
        sectionsToInsert = IndexSet(newSections.filter { kept[$0] == nil })
        var staying = Set<Int>()
        for (position, place) in new.places.enumerated() {
            if only != nil, new.sections[place.section] != only { continue }
            let path = IndexPath(indexes: [place.section, place.item])
            guard let origin = origins[position],
                kept[place.section] == old.places[origin].section
            else {
                insertions.append(path)
                continue
            }
            staying.insert(origin)
            if modified.contains(origin) { modifications.append(path) }
        }
        for (position, place) in old.places.enumerated()
        where keptOld.contains(place.section) && !staying.contains(position) {
            deletions.append(IndexPath(indexes: [place.section, place.item]))
        }
        deletions.sort()
        insertions.sort()
        modifications.sort()
    }
}

/// Which section each element is in, and where.
struct SectionLayout<Key: _Persistable & Hashable> {
    /// In their order.
    private(set) var sections: [StoredIdentity<Key>] = []
    /// For each element, in the order of the results.
    private(set) var places: [(section: Int, item: Int)]

    /// - Parameter isReversed: Whether the order of the elements in the sections, and of the
    ///   sections, is not that of the results, but the reverse.
    init(_ keys: [Key], isReversed: Bool) {
        places = Array(repeating: (0, 0), count: keys.count)
        var numbers: [StoredIdentity<Key>: Int] = [:]
        var counts: [Int] = []
        for step in keys.indices {
            let position = isReversed ? keys.count - 1 - step : step
            let identity = StoredIdentity(keys[position])
            let section = numbers[identity] ?? sections.count
            if section == sections.count {
                numbers[identity] = section
                sections.append(identity)
                counts.append(0)
            }
            places[position] = (section, counts[section])
            counts[section] += 1
        }
    }
}
