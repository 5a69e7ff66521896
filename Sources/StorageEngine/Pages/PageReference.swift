/// Where a parent finds a child page, and which writing of that page it means.
///
/// Page numbers are reused; a birth is not. A page whose header carries another birth than the
/// reference is stale, however valid it looks.
@frozen
public struct PageReference: Hashable, Sendable {
    /// The number of the first page of the run: its byte offset divided by the page size.
    public var page: UInt64
    /// The version of the commit that wrote it.
    public var birth: UInt64

    @inlinable
    public init(page: UInt64, birth: UInt64) {
        self.page = page
        self.birth = birth
    }

    /// Page 0 holds the file header, so it never names a run: it stands for "nothing".
    public static let none = PageReference(page: 0, birth: 0)

    @inlinable
    public var isNone: Bool { page == 0 }
}
