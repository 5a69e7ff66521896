/// What nothing that a version reaches exceeds.
///
/// While the version is pinned, or the base of a write transaction, the file has at least so many
/// pages, and they are mapped.
struct SnapshotBounds: Sendable {
    /// No page has a later birth.
    var version: UInt64
    /// One past the last page.
    var pageCount: UInt64
}
