import RealmSwift
import ToolSupport

/// A random query of tracks: a filter, an order, and properties of which equal values are shown
/// once. Each of them may be missing.
struct RandomQuery {
    private var filter: String?
    private var orders: [SortDescriptor] = []
    private var distinct: [String] = []

    init(_ random: inout SeededGenerator) {
        if random.next(below: 5) > 0 { filter = Self.condition(&random, depth: 0) }
        let keyPaths = [
            "rank", "title", "group", "next.rank", "next.title", "label.size", "next.next.group",
        ]
        for _ in 0..<random.next(below: 3) {
            let keyPath = keyPaths[random.next(below: keyPaths.count)]
            orders.append(SortDescriptor(keyPath: keyPath, ascending: random.next(below: 2) == 0))
        }
        guard random.next(below: 3) == 0 else { return }
        for _ in 0...random.next(below: 2) {
            distinct.append(["rank", "group", "next.rank", "next.group"][random.next(below: 4)])
        }
    }

    var text: String {
        let orders = orders.map { "\($0.keyPath)\($0.ascending ? "" : " descending")" }
        return "\(filter ?? "all") by \(orders) distinct \(distinct)"
    }

    func results<C: RealmCollection>(of tracks: C) -> Results<Track> where C.Element == Track {
        let filtered = filter.map { tracks.filter($0) } ?? tracks.filter("TRUEPREDICATE")
        let sorted = orders.isEmpty ? filtered : filtered.sorted(by: orders)
        return distinct.isEmpty ? sorted : sorted.distinct(by: distinct)
    }

    private static func condition(_ random: inout SeededGenerator, depth: Int) -> String {
        if depth < 2, random.next(below: 3) == 0 {
            let first = condition(&random, depth: depth + 1)
            if random.next(below: 4) == 0 { return "NOT (\(first))" }
            let second = condition(&random, depth: depth + 1)
            return "(\(first) \(random.next(below: 2) == 0 ? "AND" : "OR") \(second))"
        }
        let number = random.next(below: 5)
        let conditions = [
            "rank > \(number)", "title ENDSWITH '\(number)'", "title CONTAINS[c] 'TEXT1'",
            "group == nil", "group IN {0, 2}", "next == nil", "next.rank > \(number)",
            "next.next.rank < \(number)", "next.label.text != nil", "label.size == 0",
            "ANY others.rank > \(number)", "NONE others.group == 1", "others.@count > 1",
            "others.@max.rank > \(number)", "others.@sum.rank > \(number)",
            "next.others.@count > 0", "previous.@count > 0", "ANY previous.rank == \(number)",
            "ANY previous.next.group == 1", "ANY albums.best.rank > \(number)",
            "ANY albums.name CONTAINS '\(number)'", "albums.@count > 1",
            "ANY elsewhere.previous.rank < \(number)", "ANY tags == 'tag1'", "tags.@count > 1",
            "SUBQUERY(others, $o, $o.rank > \(number) AND $o.next != nil).@count > 0",
            "SUBQUERY(previous, $p, $p.group == 1).@count == 0", "rank == next.rank",
            "rank < next.next.rank",
            "SUBQUERY(others, $o, $o.rank > rank).@count > 0",
            "ANY others.next.rank > \(number)", "others.@avg.rank < \(number)",
        ]
        return conditions[random.next(below: conditions.count)]
    }
}
