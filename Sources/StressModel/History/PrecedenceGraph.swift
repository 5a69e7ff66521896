/// A graph of events, with an edge from each event to those that it must precede.
struct PrecedenceGraph {
    private let count: Int
    /// Successors of each node. The first `count` nodes are the events. The nodes after them are
    /// moments of the clock.
    private var successors: [[Int]]

    init(count: Int) {
        self.count = count
        successors = Array(repeating: [], count: count)
    }

    mutating func add(_ earlier: Int, before later: Int) {
        if earlier != later { successors[earlier].append(later) }
    }

    /// Adds an edge for each pair of events of which one ended before the other began. The edges go
    /// through a chain of moments, because the pairs would be too many.
    mutating func addClock(_ spans: [(began: UInt64, ended: UInt64)]) {
        enum Moment { case begin, end }
        var moments: [(time: UInt64, moment: Moment, event: Int)] = []
        for (event, span) in spans.enumerated() {
            moments.append((span.began, .begin, event))
            if span.ended != .max { moments.append((span.ended, .end, event)) }
        }
        // At equal times beginnings sort first: an event that ends at that time has not ended
        // before the other began.
        moments.sort {
            ($0.time, $0.moment == .begin ? 0 : 1) < ($1.time, $1.moment == .begin ? 0 : 1)
        }
        for (index, moment) in moments.enumerated() {
            let node = successors.count
            successors.append([])
            if index > 0 { successors[node - 1].append(node) }
            switch moment.moment {
            case .begin: successors[node].append(moment.event)
            case .end: successors[moment.event].append(node)
            }
        }
    }

    /// Returns the events of a cycle, each before the next, or nil if there is none.
    func cycle() -> [Int]? {
        let rest = nodesOfCycles()
        guard let start = rest.firstIndex(of: true) else { return nil }
        // Every remaining node has a remaining successor, so the walk must return to a node on its
        // path.
        var place: [Int: Int] = [:]
        var path: [Int] = []
        var node = start
        while place[node] == nil {
            place[node] = path.count
            path.append(node)
            node = successors[node].first { rest[$0] }!
        }
        return path[place[node]!...].filter { $0 < count }
    }

    /// Returns the nodes that remain after nodes without successors were removed repeatedly.
    private func nodesOfCycles() -> [Bool] {
        var predecessors = Array(repeating: [Int](), count: successors.count)
        var open = successors.map(\.count)
        for (node, targets) in successors.enumerated() {
            for target in targets { predecessors[target].append(node) }
        }
        var rest = Array(repeating: true, count: successors.count)
        var work = open.indices.filter { open[$0] == 0 }
        while let node = work.popLast() {
            rest[node] = false
            for predecessor in predecessors[node] {
                open[predecessor] -= 1
                if open[predecessor] == 0 { work.append(predecessor) }
            }
        }
        return rest
    }
}
