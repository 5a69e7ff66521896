/// Upper bounds on the births and page numbers reachable from a version.
///
/// While the version is pinned, or is the base of a write transaction, the file has at least
/// `pageCount` pages, and they are mapped.
struct SnapshotBounds: Sendable {
    /// The version, which no birth exceeds.
    var version: UInt64
    /// One past the last page.
    var pageCount: UInt64
}
