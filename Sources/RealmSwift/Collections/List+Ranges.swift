import Foundation

extension List {
    /// Removes the first `number` elements; fewer elements than that stop the program.
    public func removeFirst(_ number: Int = 1) {
        guard requireRemovable(number) != nil else { return }
        removeExisting(0..<number)
    }

    /// Removes the last `number` elements; fewer elements than that stop the program.
    public func removeLast(_ number: Int = 1) {
        guard let count = requireRemovable(number) else { return }
        removeExisting(count - number..<count)
    }

    /// Inserts the elements of a collection before the one at `i`, which may equal the count.
    public func insert<C: Collection>(
        contentsOf newElements: C, at i: Int
    ) where C.Iterator.Element == Element {
        guard let count = changeableCount() else { return }
        requireIndex(i, upTo: count + 1)
        insertChecked(Array(newElements), at: i)
    }

    /// Replaces the elements of a range by those of a collection, which may be more or fewer. A
    /// range that is not in the list stops the program.
    ///
    /// ```swift
    /// list.replaceSubrange(1..<3, with: [dog])
    /// ```
    public func replaceSubrange<C: Collection, R>(
        _ subrange: R, with newElements: C
    ) where C.Iterator.Element == Element, R: RangeExpression, List<Element>.Index == R.Bound {
        // First, because they may be elements of this list.
        let newElements = Array(newElements)
        guard let range = requireRange(subrange) else { return }
        removeExisting(range)
        insertChecked(newElements, at: range.lowerBound)
    }

    /// Removes the elements of a range. One that is not in the list stops the program.
    public func removeSubrange<R>(
        _ boundsExpression: R
    ) where R: RangeExpression, List<Element>.Index == R.Bound {
        guard let range = requireRange(boundsExpression) else { return }
        removeExisting(range)
    }

    /// Removes the elements at `offsets`, which must all exist.
    public func remove(atOffsets offsets: IndexSet) {
        guard let count = changeableCount() else { return }
        if let last = offsets.last { requireIndex(last, upTo: count) }
        for range in offsets.rangeView.reversed() { removeExisting(range) }
    }

    /// Moves the elements at `offsets`, which must all exist, in their order before the element that
    /// is at `destination` now; the count as destination is the end.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        guard let count = changeableCount() else { return }
        if let last = offsets.last { requireIndex(last, upTo: count) }
        requireIndex(destination, upTo: count + 1)
        var place = destination
        for (moved, offset) in offsets.filter({ $0 < destination }).enumerated() {
            move(from: offset - moved, to: destination - 1)
        }
        for offset in offsets where offset >= destination {
            move(from: offset, to: place)
            place += 1
        }
    }

    /// The elements of a range, as a view of this list. Assigning replaces them.
    public subscript(bounds: Range<Int>) -> SubSequence {
        get {
            if managed?.realm.isInFailedTransaction != true { requireBounds(bounds) }
            return Slice(base: self, bounds: bounds)
        }
        set { replaceSubrange(bounds, with: newValue) }
    }

    // MARK: Checks

    /// The count, if `number` elements can be removed; nil if the transaction has failed.
    private func requireRemovable(_ number: Int) -> Int? {
        if number < 0 { stop("Cannot pass a negative value for 'number'.") }
        guard let count = changeableCount() else { return nil }
        if number > count {
            stop(
                "It is not possible to remove more objects (\(number)) from a list than it already "
                    + "contains (\(count)).")
        }
        return count
    }

    /// The range, if it is in the list; nil if the transaction has failed.
    private func requireRange<R>(_ range: R) -> Range<Int>?
    where R: RangeExpression, R.Bound == Int {
        guard changeableCount() != nil else { return nil }
        let range = range.relative(to: self)
        if managed?.hasFailed == true { return nil }
        requireBounds(range)
        return range
    }

    private func requireBounds(_ range: Range<Int>) {
        let count = count
        requireIndex(range.lowerBound, upTo: count + 1)
        if !range.isEmpty { requireIndex(range.upperBound - 1, upTo: count) }
    }

    private func removeExisting(_ range: Range<Int>) {
        for index in range.reversed() { removeExisting(at: index) }
    }

    private func insertChecked(_ elements: [Element], at index: Int) {
        for (position, element) in elements.enumerated() { insert(element, at: index + position) }
    }
}
