import ArgumentParser
import RealmSwift
import StorageEngine
import ToolSupport

/// The objects of a class that a query asks for, in their order.
struct Selection {
    let file: RealmFile
    let table: Table
    /// Nil for all objects.
    let plan: QueryPlan?
    /// Nil for the order in which the objects were made.
    let sorter: QuerySorter?
    /// What the plan's tests may refer to.
    private let queries: StoredClassQueries

    init(_ file: RealmFile, _ table: Table, predicate: String?, sort: [String]) throws {
        self.file = file
        self.table = table
        let queries = StoredClassQueries(file.connection)
        self.queries = queries
        plan = try predicate.map { try Self.plan(queries, table, $0) }
        let orders = try sort.flatMap { $0.split(separator: ",") }
            .map { try Self.order(String($0), file, table) }
        sorter = orders.isEmpty ? nil : try QuerySorter(table, orders)
    }

    func count() throws -> Int { try plan?.count() ?? table.count() }

    /// The keys of the first objects; nil if these are all objects in the order of their keys.
    func keys(limit: Int) throws -> [ObjectKey]? {
        guard let sorter else { return try plan?.keys(limit: limit) }
        let plan = try plan ?? QueryPlan(table, .constant(true))
        return limit < Int.max
            ? try sorter.first(limit, of: plan) : try sorter.sorted(try plan.keys())
    }

    // MARK: Predicates

    private static func plan(
        _ queries: StoredClassQueries, _ table: Table, _ predicate: String
    ) throws -> QueryPlan {
        do {
            let condition = try queries.condition(predicate, on: table.definition.name)
            return try QueryPlan(table, condition)
        } catch let problem as StoredClassQueries.Problem {
            throw ToolError(.usage, message(problem, predicate, table))
        }
    }

    /// The problem with the place in the predicate, and names that are close to an unknown one.
    static func message(
        _ problem: StoredClassQueries.Problem, _ predicate: String, _ table: Table
    ) -> String {
        let scalars = Array(predicate.unicodeScalars)
        let place = min(max(0, problem.position), scalars.count)
        let start = scalars[..<place].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let end = scalars[place...].firstIndex(of: "\n") ?? scalars.count
        func text(_ range: Range<Int>) -> String {
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars[range])
            return CellText.shown(String(view), cut: false)
        }
        let indent = TerminalWidth.columns(of: text(start..<place))
        var message =
            "\(problem.message)\n  \(text(start..<end))\n  "
            + String(repeating: " ", count: indent) + "^"
        let wordEnd = scalars[place..<end].firstIndex { !isOfName($0) } ?? end
        let word = text(place..<wordEnd)
        let names = table.definition.columns.map(\.name)
        if !word.isEmpty, !names.contains(word) {
            let close = NameSuggestion.closest(to: word, among: names)
            if !close.isEmpty { message += "\nDid you mean \(close.joined(separator: ", "))?" }
        }
        return message
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    // MARK: Orders

    /// The order of `name`, `name:desc` or `owner.name`.
    private static func order(
        _ text: String, _ file: RealmFile, _ table: Table
    ) throws -> QueryOrder {
        var path = text
        var isAscending = true
        for (suffix, ascends) in [(":asc", true), (":desc", false)] where path.hasSuffix(suffix) {
            path.removeLast(suffix.count)
            isAscending = ascends
        }
        var current = table
        var links: [Int] = []
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for name in names.dropLast() {
            let column = try current.column(named: name)
            let definition = current.definition.columns[column]
            guard definition.collection == .none, let target = definition.linkTarget,
                let next = try file.connection.table(named: target)
            else {
                throw ToolError(
                    .usage,
                    "Objects cannot be sorted by '\(path)': '\(name)' is no link to one object.")
            }
            links.append(column)
            current = next
        }
        let column = try current.column(named: names[names.count - 1])
        let definition = current.definition.columns[column]
        guard definition.collection == .none, definition.linkTarget == nil else {
            throw ToolError(
                .usage,
                "Objects cannot be sorted by '\(path)', which is a list, a map or a link. "
                    + "Name a property of a linked object, such as 'owner.name'.")
        }
        return QueryOrder(links: links, column: column, isAscending: isAscending)
    }
}

extension ByteOutput {
    static var standard: ByteOutput {
        ByteOutput(to: 1, name: "standard output")
    }
}
