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
        return limit < Int.max ? try sorter.first(limit, of: plan) : try sorter.sorted(plan)
    }

    /// How the objects are found, and what is read for that, in several lines.
    func explain() throws -> String {
        let plan = try plan ?? QueryPlan(table, .constant(true))
        let effort = try plan.measuringEffort { try plan.count() }.effort
        var lines = [plan.explain(), effort.text]
        if let sorter { lines.append("sorted by \(sorter.explain())") }
        return lines.joined(separator: "\n")
    }

    // MARK: Predicates

    private static func plan(
        _ queries: StoredClassQueries, _ table: Table, _ predicate: String
    ) throws -> QueryPlan {
        do {
            let condition = try queries.condition(predicate, on: table.definition.name)
            return try QueryPlan(table, condition)
        } catch let problem as StoredClassQueries.Problem {
            throw PredicateProblem(problem, predicate, table)
        }
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

/// A mistake in a predicate.
public struct PredicateProblem: Error {
    /// A sentence.
    public let message: String
    /// The place of the mistake, in Unicode scalars from the beginning of the predicate.
    public let position: Int
    /// Names of properties that are close to an unknown one.
    public let suggestions: [String]
    private let scalars: [Unicode.Scalar]

    fileprivate init(
        _ problem: StoredClassQueries.Problem, _ predicate: String, _ table: Table
    ) {
        message = problem.message
        scalars = Array(predicate.unicodeScalars)
        position = min(max(0, problem.position), scalars.count)
        let end = scalars[position...].firstIndex { !Self.isOfName($0) } ?? scalars.count
        let word = Self.text(scalars[position..<end])
        let names = table.definition.columns.map(\.name)
        suggestions =
            word.isEmpty || names.contains(word)
            ? [] : NameSuggestion.closest(to: word, among: names)
    }

    /// The problem with the place in the predicate, for a terminal.
    var text: String {
        let start = scalars[..<position].lastIndex(of: "\n").map { $0 + 1 } ?? 0
        let end = scalars[position...].firstIndex(of: "\n") ?? scalars.count
        let indent = TerminalWidth.columns(of: Self.text(scalars[start..<position]))
        let text =
            "\(message)\n  \(Self.text(scalars[start..<end]))\n  "
            + String(repeating: " ", count: indent) + "^"
        if suggestions.isEmpty { return text }
        return text + "\nDid you mean \(suggestions.joined(separator: ", "))?"
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return CellText.shown(String(view), cut: false)
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}

extension ByteOutput {
    static var standard: ByteOutput {
        ByteOutput(to: 1, name: "standard output")
    }
}
