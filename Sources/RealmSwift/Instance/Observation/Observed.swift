import StorageEngine

/// The state of something observed in one version, as far as it is needed to compare it with a
/// later one.
enum ObservedBase {
    /// Nothing but the version itself.
    case version
    case keys(PackedKeys)
    case values([OwnedScalar])
    /// It does not exist any more, and will not exist again.
    case gone
}

/// Something that can be observed, in the Realm of a notifier that reads in the background.
class Observed {
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
