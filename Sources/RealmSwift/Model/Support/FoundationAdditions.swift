import Foundation

// Parts of Foundation that exist on Apple platforms only, and that model layers use.

/// Runs `body` and returns its result. There are no autoreleased objects on this platform, so there
/// is no pool to drain.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}

extension IndexPath {
    /// Creates an index path from an item and a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The first index.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The second index.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
