import Foundation

// What Foundation has on Apple's systems and lacks here, and model layers use.

/// Runs `body`. There are no autoreleased objects here: whatever `body` held is gone when it ends.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}

extension IndexPath {
    /// An index path with a section and an item in it.
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
