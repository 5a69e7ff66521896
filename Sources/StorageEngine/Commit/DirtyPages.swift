/// The private copies of a write transaction: page number → buffer, in two array look-ups.
///
/// Used by one thread at a time.
struct DirtyPages {
    private typealias Leaf = UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private static let leafShift: UInt64 = 10
    private static let leafCapacity = 1 << 10
    /// 64 KiB.
    private static let fewLeaves = 8

    private var directory: UnsafeMutablePointer<Leaf?>?
    private var directoryCount = 0
    private var leafCount = 0
    /// First pages of runs in the order in which they were added. Some runs have been removed
    /// since, and some added again.
    private var added: [UInt64] = []

    init() {}

    @inline(__always)
    subscript(page: UInt64) -> UnsafeMutableRawPointer? {
        let index = Int(truncatingIfNeeded: page &>> Self.leafShift)
        guard index < directoryCount, let leaf = directory.unsafelyUnwrapped[index] else {
            return nil
        }
        return leaf[Int(truncatingIfNeeded: page) & (Self.leafCapacity - 1)]
    }

    mutating func add(_ buffer: UnsafeMutableRawPointer, at page: UInt64) {
        let slot = slot(of: page)
        precondition(slot.pointee == nil, "a page number was given out twice")
        slot.pointee = buffer
        added.append(page)
    }

    mutating func remove(_ page: UInt64) { slot(of: page).pointee = nil }

    private mutating func slot(of page: UInt64) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        let index = Int(page >> Self.leafShift)
        if index >= directoryCount { growDirectory(to: index + 1) }
        if directory![index] == nil {
            let leaf = Leaf.allocate(capacity: Self.leafCapacity)
            leaf.initialize(repeating: nil, count: Self.leafCapacity)
            directory![index] = leaf
            leafCount += 1
        }
        return directory![index]! + (Int(truncatingIfNeeded: page) & (Self.leafCapacity - 1))
    }

    private mutating func growDirectory(to count: Int) {
        let capacity = max(64, count, directoryCount * 2)
        let grown = UnsafeMutablePointer<Leaf?>.allocate(capacity: capacity)
        grown.initialize(repeating: nil, count: capacity)
        if let directory {
            grown.update(from: directory, count: directoryCount)
            directory.deallocate()
        }
        directory = grown
        directoryCount = capacity
    }

    /// The first pages of all runs, ascending.
    func sorted() -> [UInt64] {
        var result: [UInt64] = []
        result.reserveCapacity(added.count)
        for page in added.sorted() where result.last != page && self[page] != nil {
            result.append(page)
        }
        return result
    }

    /// All runs, ascending.
    func runs() -> [Run] {
        var result: [Run] = []
        result.reserveCapacity(added.count)
        for page in added {
            guard let buffer = self[page] else { continue }
            result.append(Run(page: page, buffer: buffer))
        }
        result.sort { $0.page < $1.page }
        return result
    }

    /// Moves all runs to another table.
    mutating func move(into other: inout DirtyPages) {
        for page in added {
            let slot = slot(of: page)
            guard let buffer = slot.pointee else { continue }
            other.add(buffer, at: page)
            slot.pointee = nil
        }
        removeAll()
    }

    /// Forgets all runs. Their buffers are freed by the arena.
    mutating func removeAll() {
        for page in added { slot(of: page).pointee = nil }
        added.removeAll(keepingCapacity: added.count <= 4096)
    }

    /// Frees the memory of an empty table if it takes more than a little. Otherwise the memory is
    /// kept as long as the file is open, and grows with the parts of the file that were written.
    mutating func shrink() {
        if leafCount > Self.fewLeaves { tearDown() }
    }

    /// Frees the memory of an empty table.
    mutating func tearDown() {
        for index in 0..<directoryCount { directory![index]?.deallocate() }
        directory?.deallocate()
        directory = nil
        directoryCount = 0
        leafCount = 0
    }
}
