import StorageEngine

/// The state of something observed in one version, as far as it is needed to compare it with a
/// later one.
enum ObservedBase {
    /// Nothing but the version itself.
    case version
    case keys(PackedKeys)
    case ordered(OrderedState)
    case values([OwnedScalar])
    /// It does not exist any more, and will not exist again.
    case gone

    /// The objects of a query in their order, if they are known.
    var objects: OrderedKeys? { if case .ordered(let state) = self { state.shown } else { nil } }
}

/// The objects of a query in one version, in a form that shares with that of the next version what
/// has not changed.
struct OrderedState {
    /// In the order of the query.
    var shown: OrderedKeys
    /// For a query that keeps one object of each group of equal ones: all objects that it chooses
    /// from, group by group, each group in the order of the query. Otherwise empty.
    var grouped = OrderedKeys()
}

/// Says which observed things are equal: the same thing of one Realm, with the same key paths.
/// Handlers of equal things share what is computed for them.
struct ObservedIdentity: Hashable {
    private let subject: AnyHashable
    /// Each once, in order; empty for all properties.
    private let keyPaths: [String]

    init(erasing subject: some Hashable, _ keyPaths: [String]?) {
        self.subject = AnyHashable(subject)
        self.keyPaths = Set(keyPaths ?? []).sorted()
    }
}

/// Something that can be observed, in the Realm of a notifier that reads in the background.
class Observed {
    /// The number of registrations.
    final var users = 0

    /// Returns the state in the version that the Realm reads.
    func base() throws -> ObservedBase { stop("A subclass says what is observed.") }

    /// Compares the state in the older version of a step, which is `base`, with that in the newer.
    ///
    /// - Returns: What to tell, nil if nothing has changed, and the state in the newer version.
    func compare(
        _ base: ObservedBase, over step: VersionStep
    ) throws -> (Registration.Report?, ObservedBase) {
        stop("A subclass says what is observed.")
    }

    /// Returns the positions, in the older version of a step, of the objects that count as modified
    /// if `counted` is what counts, and exist in the newer version. `base` is the state in the old
    /// version.
    func modified(
        in base: ObservedBase, counting counted: ObservedClass, over step: VersionStep
    ) throws -> [Int] { [] }
}

/// The difference between two states of a map, as keys in ascending order.
struct MapChanges: Equatable, Sendable {
    var deletions: [String]
    var insertions: [String]
    var modifications: [String]
}

/// The changes of an object.
struct ObjectChanges {
    /// The modified properties, by their positions among the class's declared ones, ascending, with
    /// the stored values before; nil for properties that hold more than one value.
    var properties: [(position: Int, old: OwnedScalar?)]
}
