/// What a plan read to find its objects.
public struct QueryEffort: Sendable, Hashable {
    /// The number of candidates from indexes, backlinks or the caller; nil if all objects were
    /// tested.
    public var candidates: Int?
    /// The number of leaves visited.
    public var leaves = 0
    /// The number of leaves whose directory (zone maps and null flags) decided the result, so that
    /// no values were read.
    public var skippedLeaves = 0
    /// The number of leaves in which an object matched.
    public var matchingLeaves = 0
    /// The number of objects tested in leaves that were not skipped.
    public var rows = 0
    /// Whether the objects were read in the order of an index.
    public var isOrderedByIndex = false

    mutating func named(_ count: Int) { candidates = (candidates ?? 0) + count }
}
