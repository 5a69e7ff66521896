/// What a plan looked at to find its objects.
public struct QueryEffort: Sendable, Hashable {
    /// How many objects an index, backlinks or the caller named; nil if all were looked at.
    public var candidates: Int?
    /// The leaves that the plan came to.
    public var leaves = 0
    /// Those of them for which the directory told enough, so that no values were looked at: zone
    /// maps and nulls.
    public var skippedLeaves = 0
    /// Those of them in which an object matched.
    public var matchingLeaves = 0
    /// The objects of the leaves that were not skipped.
    public var rows = 0
    /// Whether the objects came in the order of an index.
    public var isOrderedByIndex = false

    mutating func named(_ count: Int) { candidates = (candidates ?? 0) + count }
}
