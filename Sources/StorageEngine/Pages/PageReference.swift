/// A parent's reference to a child page, and to one particular writing of it.
///
/// Page numbers are reused, births are not. A page whose header has another birth than the
/// reference is stale, even if it is valid by itself.
package struct PageReference: Hashable, Sendable {
    /// The number of the first page of the run: its byte offset divided by the page size.
    package var page: UInt64
    /// The version of the commit that wrote the run.
    package var birth: UInt64

    package init(page: UInt64, birth: UInt64) {
        self.page = page
        self.birth = birth
    }

    /// The reference to nothing. Page 0 holds the file header, so it is never part of a run.
    static let none = PageReference(page: 0, birth: 0)

    package var isNone: Bool { page == 0 }
}
