/// The first so many of all entries that are offered: a heap with the last of them on top.
struct FirstEntries<Entry: SortEntry> {
    private var heap: [Entry] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
        heap.reserveCapacity(Swift.min(limit, 1024))
    }

    /// Where there are enough, the rank above which nothing is taken any more; else nil.
    var lastRank: UInt64? { limit > 0 && heap.count == limit ? heap[0].rank : nil }

    @inline(__always)
    mutating func offer(_ entry: Entry) {
        if heap.count < limit {
            heap.append(entry)
            rise(heap.count - 1)
        } else if limit > 0, entry.precedes(heap[0]) {
            heap[0] = entry
            sink()
        }
    }

    private mutating func rise(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            if !heap[parent].precedes(heap[child]) { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var child = parent * 2 + 1
            if child >= heap.count { return }
            if child + 1 < heap.count, heap[child].precedes(heap[child + 1]) { child += 1 }
            if !heap[parent].precedes(heap[child]) { return }
            heap.swapAt(parent, child)
            parent = child
        }
    }

    /// The keys in order.
    var keys: [ObjectKey] { heap.sorted { $0.precedes($1) }.map(\.key) }
}
