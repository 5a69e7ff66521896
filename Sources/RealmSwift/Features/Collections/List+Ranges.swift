import Foundation

extension List {
    /// Removes the first `number` elements.
    ///
    /// - Precondition: The list has at least `number` elements, and `number` is not negative. A
    ///   managed list is changed in a write transaction.
    public func removeFirst(_ number: Int = 1) {
        guard requireRemovable(number) != nil else { return }
        removeExisting(0..<number)
    }

    /// Removes the last `number` elements.
    ///
    /// - Precondition: The list has at least `number` elements, and `number` is not negative. A
    ///   managed list is changed in a write transaction.
    public func removeLast(_ number: Int = 1) {
        guard let count = requireRemovable(number) else { return }
        removeExisting(count - number..<count)
    }

    /// Inserts the elements of a collection before the one at `i`. The position can equal the
    /// count.
    ///
    /// - Precondition: The position is valid. A managed list is changed in a write transaction.
    public func insert<C: Collection>(
        contentsOf newElements: C, at i: Int
    ) where C.Iterator.Element == Element {
        guard let count = changeableCount() else { return }
        requireIndex(i, upTo: count + 1)
        insertChecked(Array(newElements), at: i)
    }

    /// Replaces the elements of a range with those of a collection, which can have another number
    /// of elements.
    ///
    /// ```swift
    /// list.replaceSubrange(1..<3, with: [dog])
    /// ```
    ///
    /// - Precondition: The range is within the list. A managed list is changed in a write
    ///   transaction.
    public func replaceSubrange<C: Collection, R>(
        _ subrange: R, with newElements: C
    ) where C.Iterator.Element == Element, R: RangeExpression, List<Element>.Index == R.Bound {
        // The elements are copied first, because they may be elements of this list.
        let newElements = Array(newElements)
        guard let range = requireRange(subrange) else { return }
        removeExisting(range)
        insertChecked(newElements, at: range.lowerBound)
    }

    /// Removes the elements of a range.
    ///
    /// - Precondition: The range is within the list. A managed list is changed in a write
    ///   transaction.
    public func removeSubrange<R>(
        _ boundsExpression: R
    ) where R: RangeExpression, List<Element>.Index == R.Bound {
        guard let range = requireRange(boundsExpression) else { return }
        removeExisting(range)
    }

    /// Removes the elements at `offsets`.
    ///
    /// - Precondition: The offsets are valid. A managed list is changed in a write transaction.
    public func remove(atOffsets offsets: IndexSet) {
        guard let count = changeableCount() else { return }
        if let last = offsets.last { requireIndex(last, upTo: count) }
        for range in offsets.rangeView.reversed() { removeExisting(range) }
    }

    /// Moves the elements at `offsets`, in their order, before the element that is now at
    /// `destination`. The destination can equal the count.
    ///
    /// - Precondition: The offsets and the destination are valid. A managed list is changed in a
    ///   write transaction.
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

    /// Accesses the elements of a range as a slice, which is a view of this list. Assigning
    /// replaces them.
    ///
    /// - Precondition: The range is within the list.
    public subscript(bounds: Range<Int>) -> SubSequence {
        get {
            if managed?.realm.isInFailedTransaction != true { requireBounds(bounds) }
            return Slice(base: self, bounds: bounds)
        }
        set { replaceSubrange(bounds, with: newValue) }
    }

    // MARK: Checks

    /// Returns the count if `number` elements can be removed; nil in a failed transaction.
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

    /// Returns the range if it is within the list; nil in a failed transaction.
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
