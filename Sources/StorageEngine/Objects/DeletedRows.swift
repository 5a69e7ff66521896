/// The keys of objects that the open write transaction has deleted, and whose rows are still in
/// their tree. They ascend.
///
/// Keys are mostly deleted in ascending or descending order, so there is room for all of them at
/// either side of the first one, and others move those of the shorter side. The memory is allocated
/// with the first key and kept, so that transactions do not allocate it anew.
struct DeletedRows: ~Copyable {
    /// The most keys that wait, which take 8 KiB with the room on both sides. A table's rows are
    /// removed when there are as many: a transaction that replaces objects keeps so many old rows
    /// beside the new ones, which makes the file longer.
    static let maximumCount = 512

    private var memory: UnsafeMutablePointer<ObjectKey>?
    /// The position of the least key in the memory.
    private var start = 0
    private(set) var count = 0
    private var least = Int64.max
    private var greatest = Int64.min

    deinit { memory?.deallocate() }

    @inline(__always)
    var isEmpty: Bool { count == 0 }

    /// The keys in ascending order. Valid until the next change.
    var keys: UnsafeBufferPointer<ObjectKey> {
        guard let memory, count > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: memory + start, count: count)
    }

    /// Whether an object is deleted. Costs next to nothing for keys below and above all of those
    /// that wait.
    @inline(__always)
    func contains(_ key: ObjectKey) -> Bool {
        if key.rawValue > greatest || key.rawValue < least { return false }
        return find(key)
    }

    @inline(never)
    private func find(_ key: ObjectKey) -> Bool { keys[position(of: key)] == key }

    /// The position among the keys of the first one that is not less than `key`.
    private func position(of key: ObjectKey) -> Int {
        let keys = keys
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low &+ high) / 2
            if keys[middle].rawValue < key.rawValue { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Adds a key that is not there yet. There must be fewer than `maximumCount`.
    mutating func insert(_ key: ObjectKey) {
        precondition(count < Self.maximumCount, "more deleted rows wait than there is room for")
        let memory = allocated()
        if count == 0 {
            start = Self.maximumCount
            memory[start] = key
        } else if key.rawValue > greatest {
            memory[start + count] = key
        } else {
            insert(key, at: position(of: key), in: memory)
        }
        count += 1
        least = min(least, key.rawValue)
        greatest = max(greatest, key.rawValue)
    }

    private mutating func insert(
        _ key: ObjectKey, at position: Int, in memory: UnsafeMutablePointer<ObjectKey>
    ) {
        let place = memory + start + position
        if position < count - position {
            start -= 1
            (memory + start).update(from: memory + start + 1, count: position)
            (place - 1).pointee = key
        } else {
            (place + 1).update(from: place, count: count - position)
            place.pointee = key
        }
    }

    private mutating func allocated() -> UnsafeMutablePointer<ObjectKey> {
        if let memory { return memory }
        // One more than twice as many: as many may come before the first key as behind it.
        let allocated = UnsafeMutablePointer<ObjectKey>.allocate(
            capacity: 2 * Self.maximumCount + 1)
        memory = allocated
        return allocated
    }

    mutating func removeAll() {
        count = 0
        least = .max
        greatest = .min
    }
}
