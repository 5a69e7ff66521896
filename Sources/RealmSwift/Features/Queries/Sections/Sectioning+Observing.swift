import StorageEngine

/// The elements of sections. Their keys are computed where the sections are used, because the
/// function that does it belongs to the application. It is called for elements that have changed.
final class ObservedSectionElements: Observed {
    private let elements: Observed
    /// The same elements with fewer properties whose changes count as modifications; nil if all
    /// count.
    private let counted: Observed?

    init(_ elements: Observed, counted: Observed?) {
        self.elements = elements
        self.counted = counted
    }

    override func base() throws -> ObservedBase { try elements.base() }

    override func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        let (report, next) = try elements.compare(base, over: step)
        guard case .collection(let change)? = report else { return (nil, next) }
        guard let counted else {
            return (.elements(change, counted: change.modifications), next)
        }
        guard case .collection(let fewer)? = try counted.compare(base, over: step).0 else {
            return (.elements(change, counted: []), next)
        }
        return (.elements(change, counted: fewer.modifications), next)
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
            isInitial: true,
            make: { realm in
                ObservedSectionElements(
                    backing.observed(in: realm, nil),
                    counted: keyPaths?.isEmpty ?? true ? nil : backing.observed(in: realm, keyPaths)
                )
            },
            makeTranslation: { [self] in
                let follower = SectionFollower(self, only: only)
                return { report in
                    if backing.hasRealmInvalidated { return nil }
                    switch report {
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
                    case .collection, .map, .object, .deletion:
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
