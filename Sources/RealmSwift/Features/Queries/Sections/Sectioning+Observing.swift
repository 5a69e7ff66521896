import StorageEngine

/// The elements of sections. Their keys are computed where the sections are used, because the
/// function that does it belongs to the application. It is called for elements that have changed.
final class ObservedSectionElements: Observed {
    /// The elements, with all that their keys may depend on.
    private let elements: Observed
    /// What handlers are told as modifications; nil for the same.
    private let counted: ObservedClass?

    init(_ elements: Observed, counted: ObservedClass?) {
        self.elements = elements
        self.counted = counted
    }

    override func base() throws -> ObservedBase { try elements.base() }

    override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        let (report, next) = try elements.compare(base, over: step)
        var change = IndexChanges()
        if case .collection(let found, _)? = report { change = found }
        if case .deletion? = report { return (report, next) }
        var modified = change.modifications
        if let counted {
            // Not by a second comparison, which may choose others as those that have moved.
            let deleted = Set(change.deletions)
            modified = try elements.modified(in: base, counting: counted, over: step)
                .filter { !deleted.contains($0) }
        }
        let isEmpty = change.isEmpty && modified.isEmpty
        return (isEmpty ? nil : .elements(change, counted: modified), next)
    }
}

extension Observed {
    /// Returns what is to be observed for sections of a collection, in another Realm of its file.
    fileprivate static func sectionElements(
        of backing: _CollectionBacking, in realm: RealmInstance, keyPaths: [String]?
    ) -> Observed {
        var counted: ObservedClass?
        let elements = backing.observed(in: realm) { managedClass in
            let told = ObservedClass.of(managedClass, keyPaths)
            guard keyPaths?.isEmpty ?? true else {
                counted = told
                return .everythingForKeys(of: managedClass)
            }
            let all = ObservedClass.everythingForKeys(of: managedClass)
            // Without linking objects, both are the same.
            if all.branches.count != told.branches.count { counted = told }
            return all
        }
        return ObservedSectionElements(elements, counted: counted)
    }
}

extension ObservedIdentity {
    /// Identifies the elements of sections.
    fileprivate static func sectionElements(of elements: ObservedIdentity) -> ObservedIdentity {
        struct SectionElements: Hashable { let elements: ObservedIdentity }
        return ObservedIdentity(erasing: SectionElements(elements: elements), nil)
    }
}

extension Sectioning {
    /// The sections, to be observed.
    ///
    /// - Parameters:
    ///   - collection: What the handler gets.
    ///   - only: The only section whose changes are told; nil for all.
    func observable<Sections>(
        _ collection: Sections, _ keyPaths: [String]?, only: StoredIdentity<Key>?
    ) -> ObservableThing<SectionedResultsChange<Sections>> {
        let backing = results._backing
        guard let realm = backing.realm else {
            stop("Change notifications are only supported on managed collections.")
        }
        backing.requireAlive()
        return ObservableThing(
            realm: realm, identity: .sectionElements(of: backing.identity(keyPaths)),
            isInitial: true, isOver: { backing.isOver },
            make: { .sectionElements(of: backing, in: $0, keyPaths: keyPaths) },
            makeTranslation: { [self] in
                let follower = SectionFollower(self, only: only)
                return { report in
                    if backing.isStale { return nil }
                    switch report {
                    case .deletion: return nil
                    case .initial:
                        follower.begin()
                        return .initial(collection)
                    case .elements(let change, let counted):
                        guard let change = follower.follow(change, counted) else { return nil }
                        return .update(
                            collection, deletions: change.deletions,
                            insertions: change.insertions, modifications: change.modifications,
                            sectionsToInsert: change.sectionsToInsert,
                            sectionsToDelete: change.sectionsToDelete)
                    case .collection, .map, .object:
                        stop("Sections report the changes of their elements.")
                    }
                }
            })
    }
}

/// Follows the keys of the elements for one handler, where the Realm is confined.
private final class SectionFollower<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    private let sectioning: Sectioning<Key, Element>
    private let only: StoredIdentity<Key>?
    /// The keys of all elements in the version that the handler knows.
    private var keys: [Key] = []

    init(_ sectioning: Sectioning<Key, Element>, only: StoredIdentity<Key>?) {
        self.sectioning = sectioning
        self.only = only
    }

    func begin() { keys = sectioning.toldVersion.elementKeys }

    /// Returns the difference that a change of the elements makes; nil if it makes none.
    func follow(_ change: IndexChanges, _ counted: [Int]) -> SectionDifference? {
        let told = sectioning.toldVersion
        let isReversed = sectioning.isReversed
        let old = SectionLayout(keys, isReversed: isReversed)
        let origins = change.origins(oldCount: keys.count)
        let modified = Set(change.modifications)
        let oldKeys = keys
        keys = origins.enumerated().map { position, origin in
            if let origin, !modified.contains(origin) { return oldKeys[origin] }
            return told.key(ofElementAt: position)
        }
        sectioning.adopt(keys, from: told)
        let difference = SectionDifference(
            from: old, to: SectionLayout(keys, isReversed: isReversed), origins: origins,
            modified: Set(counted), only: only)
        return difference.isEmpty ? nil : difference
    }
}

extension IndexChanges {
    /// Returns the old position of each element of the new state; nil for inserted ones.
    fileprivate func origins(oldCount: Int) -> [Int?] {
        let count = oldCount - deletions.count + insertions.count
        var origins: [Int?] = []
        origins.reserveCapacity(count)
        var (next, deletion, insertion) = (0, 0, 0)
        for position in 0..<count {
            if insertion < insertions.count, insertions[insertion] == position {
                insertion += 1
                origins.append(nil)
                continue
            }
            while deletion < deletions.count, deletions[deletion] == next {
                deletion += 1
                next += 1
            }
            origins.append(next)
            next += 1
        }
        return origins
    }
}
