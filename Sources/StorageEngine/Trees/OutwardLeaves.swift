/// A walk over the leaves of a collection's tree that begins at one of them and goes outwards,
/// alternating between the next leaf behind all those seen and the next one before them.
///
/// Nothing may be written during the walk.
struct OutwardLeaves {
    /// The location of a leaf: its parent and its row there. A root that is a leaf has no parent.
    private struct Place {
        var branch: Node?
        var row: Int
    }

    private let pager: Pager
    private let format: TreeFormat
    private let root: TreeRoot
    private let start: Int
    /// The positions of the rows of all leaves seen so far.
    private var seen = 0..<0
    private var firstPlace = Place(branch: nil, row: 0)
    private var lastPlace = Place(branch: nil, row: 0)
    private var goesBack = false

    /// The current leaf. Valid after ``next()`` has returned true.
    private(set) var leaf: Node
    /// The position of the current leaf's first row.
    private(set) var firstPosition = 0

    /// Creates a walk that begins at the leaf that holds position `start`, or at the last leaf. The
    /// tree must not be empty.
    init(_ pager: Pager, _ root: TreeRoot, from start: Int, format: TreeFormat)
        throws(StorageError)
    {
        self.pager = pager
        self.root = root
        self.format = format
        self.start = min(max(start, 0), max(root.count - 1, 0))
        leaf = try pager.root(of: root, format)
    }

    /// The row of the current leaf that is nearest to where the walk began.
    var nearestRow: Int { min(max(start - firstPosition, 0), leaf.rowCount - 1) }

    /// Advances to the next leaf. Returns false once all have been seen.
    mutating func next() throws(StorageError) -> Bool {
        let (mayGoBack, mayGoOn) = (seen.lowerBound > 0, seen.upperBound < root.count)
        if seen.isEmpty {
            try begin()
        } else if mayGoBack, goesBack || !mayGoOn {
            try goBack()
        } else if mayGoOn {
            try goOn()
        } else {
            return false
        }
        return true
    }

    private mutating func begin() throws(StorageError) {
        let (place, row) = try descend(to: start)
        (firstPlace, lastPlace) = (place, place)
        firstPosition = start - row
        seen = firstPosition..<firstPosition
        try see { $0.lowerBound..<$0.upperBound + $1 }
    }

    private mutating func goOn() throws(StorageError) {
        goesBack = true
        firstPosition = seen.upperBound
        if let branch = lastPlace.branch, lastPlace.row + 1 < branch.rowCount {
            lastPlace.row += 1
            leaf = try pager.child(of: branch, lastPlace.row, shape: format)
        } else {
            let (place, row) = try descend(to: firstPosition)
            guard row == 0 else { throw pager.countsDisagree(root.reference) }
            lastPlace = place
        }
        try see { $0.lowerBound..<$0.upperBound + $1 }
    }

    private mutating func goBack() throws(StorageError) {
        goesBack = false
        if let branch = firstPlace.branch, firstPlace.row > 0 {
            firstPlace.row -= 1
            leaf = try pager.child(of: branch, firstPlace.row, shape: format)
        } else {
            let (place, row) = try descend(to: seen.lowerBound - 1)
            guard row == leaf.rowCount - 1 else { throw pager.countsDisagree(root.reference) }
            firstPlace = place
        }
        firstPosition = seen.lowerBound - leaf.rowCount
        try see { $0.lowerBound - $1..<$0.upperBound }
    }

    /// Extends `seen` by the current leaf. Every leaf must have rows, so that the walk ends even in
    /// a malicious file in which the same leaf occurs repeatedly.
    private mutating func see(_ extended: (Range<Int>, Int) -> Range<Int>) throws(StorageError) {
        guard leaf.rowCount > 0, firstPosition >= 0, firstPosition <= root.count - leaf.rowCount
        else { throw pager.countsDisagree(root.reference) }
        seen = extended(seen, leaf.rowCount)
    }

    /// Moves to the leaf of a position. Returns its location and the row in it.
    private mutating func descend(to position: Int) throws(StorageError) -> (Place, row: Int) {
        var place = Place(branch: nil, row: 0)
        var remaining = position
        leaf = try pager.root(of: root, format)
        while leaf.level > 0 {
            let row = ClusterTree.childRow(leaf, position: &remaining)
            place = Place(branch: leaf, row: row)
            leaf = try pager.child(of: leaf, row, shape: format)
        }
        guard remaining >= 0, remaining < leaf.rowCount else {
            throw pager.countsDisagree(root.reference)
        }
        return (place, remaining)
    }
}
