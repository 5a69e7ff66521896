/// The first `limit` of all entries offered, in a heap with the last of them on top.
struct FirstEntries<Entry> {
    private var heap: [Entry] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        heap.reserveCapacity(Swift.min(limit, 1024))
    }

    /// The last entry kept, once there are `limit` of them; nil before. Only entries that precede
    /// it are still accepted.
    var last: Entry? { limit > 0 && heap.count == limit ? heap[0] : nil }

    @inline(__always)
    mutating func offer<E>(
        _ entry: Entry, by precedes: (Entry, Entry) throws(E) -> Bool
    ) throws(E) {
        if heap.count < limit {
            heap.append(entry)
            try rise(heap.count - 1, precedes)
        } else if limit > 0, try precedes(entry, heap[0]) {
            heap[0] = entry
            try sink(in: heap.count, precedes)
        }
    }

    private mutating func rise<E>(
        _ start: Int, _ precedes: (Entry, Entry) throws(E) -> Bool
    ) throws(E) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            if try !precedes(heap[parent], heap[child]) { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    /// Moves the first entry to its place among the first `count`.
    private mutating func sink<E>(
        in count: Int, _ precedes: (Entry, Entry) throws(E) -> Bool
    ) throws(E) {
        var parent = 0
        while true {
            var child = parent * 2 + 1
            if child >= count { return }
            if child + 1 < count, try precedes(heap[child], heap[child + 1]) { child += 1 }
            if try !precedes(heap[parent], heap[child]) { return }
            heap.swapAt(parent, child)
            parent = child
        }
    }

    /// The entries in order: the last one on top of the heap goes to its end, again and again. The
    /// sort of the standard library would throw any error.
    consuming func sorted<E>(
        by precedes: (Entry, Entry) throws(E) -> Bool
    ) throws(E) -> [Entry] {
        for end in heap.indices.dropFirst().reversed() {
            heap.swapAt(0, end)
            try sink(in: end, precedes)
        }
        return heap
    }
}

extension FirstEntries where Entry: SortEntry {
    /// The rank of the last entry kept, once there are `limit` of them; nil before. Entries of
    /// higher rank are not accepted.
    var lastRank: UInt64? { last?.rank }

    @inline(__always)
    mutating func offer(_ entry: Entry) { offer(entry) { $0.precedes($1) } }

    /// The keys in order.
    var keys: [ObjectKey] { heap.sorted { $0.precedes($1) }.map(\.key) }
}
