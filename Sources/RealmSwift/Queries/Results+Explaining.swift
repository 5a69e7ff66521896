import StorageEngine

extension Results {
    /// Finds the objects anew, and tells how: the plan, what it looked at, and what was done with
    /// what it found. For people who look for slow queries; the text may change.
    ///
    /// ```swift
    /// print(people.filter("age == 30 AND name BEGINSWITH 'A'").explain())
    /// ```
    public func explain() -> String {
        query.requireValid()
        return query.explain()
    }
}

extension ResultsQuery {
    func explain() -> String {
        let count = attempt { try findAll() }.count
        var lines: [String] = []
        if case .keys = origin { lines.append("elements of a collection") }
        if isWholeTable { lines.append("objects of \(managedClass.model.name)") }
        for operation in operations {
            switch operation {
            case .filter(_, let plan):
                lines += plan.explain().split(separator: "\n").map(String.init)
                lines.append(plan.effort.text)
            case .sort(_, let orders): lines.append("sorted by \(orders.count) properties")
            case .distinct(_, let orders): lines.append("distinct by \(orders.count) properties")
            }
        }
        lines.append("\(count) objects")
        return lines.joined(separator: "\n")
    }
}

extension QueryEffort {
    fileprivate var text: String {
        let objects = candidates == nil ? "all \(rows) objects" : "\(rows) objects that were named"
        return "looked at \(objects), in \(leaves) leaves, \(leaves - matchingLeaves) of them "
            + "without a match"
    }
}
