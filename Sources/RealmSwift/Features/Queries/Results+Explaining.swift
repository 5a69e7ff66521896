import StorageEngine

extension Results {
    /// Finds the objects again and returns a description of how they were found.
    ///
    /// The description contains the plan, the amount of data read, and the operations on the
    /// matches. It helps to analyze slow queries. The text can change between versions of the
    /// library.
    ///
    /// ```swift
    /// print(people.filter("age == 30 AND name BEGINSWITH 'A'").explain())
    /// ```
    public func explain() -> String {
        query.requireValid()
        if !query.isShared { return query.explain() }
        return query.realm.connection.searching { query.searching().explain() }
    }
}

extension ResultsQuery {
    func explain() -> String {
        var lines: [String] = []
        switch origin {
        case .table: break
        case .column, .backlinks, .nothing: lines.append("elements of a collection")
        }
        if isWholeTable { lines.append("objects of \(managedClass.model.name)") }
        let plans: [QueryPlan] = operations.compactMap {
            if case .filter(_, let plan) = $0 { plan } else { nil }
        }
        var efforts: [QueryEffort] = []
        let count = attempt { try findAll(measuring: plans[...], &efforts) }.count
        var last: QueryEffort?
        for operation in operations {
            switch operation {
            case .filter(_, let plan):
                last = efforts.removeFirst()
                lines += plan.explain().split(separator: "\n").map(String.init)
                lines.append(last?.text ?? "")
            case .sort(let sorter, _):
                let how = last?.isOrderedByIndex == true ? ", in the order of the index" : ""
                lines.append("sorted by \(sorter.explain())\(how)")
            case .distinct(let sorter, _): lines.append("distinct by \(sorter.explain())")
            }
        }
        lines.append("\(count) objects")
        if let askedLeaves {
            lines.append("kept, and refreshed incrementally: \(askedLeaves) leaves were read last")
        }
        return (lines + explainFirst()).joined(separator: "\n")
    }

    private func findAll(
        measuring plans: ArraySlice<QueryPlan>, _ efforts: inout [QueryEffort]
    ) throws -> [ObjectKey] {
        guard let plan = plans.first else { return try findAll() }
        let (keys, effort) = try plan.measuringEffort {
            try findAll(measuring: plans.dropFirst(), &efforts)
        }
        efforts.insert(effort, at: 0)
        return keys
    }

    /// Describes a search for the first objects only, if the objects are sorted.
    private func explainFirst() -> [String] {
        guard case (let plan, let sorter?)? = plan else { return [] }
        let effort = attempt {
            try plan.measuringEffort { try sorter.first(Self.fewObjects, of: plan) }.effort
        }
        let how = effort.isOrderedByIndex ? "in the order of the index, " : ""
        return ["the first \(Self.fewObjects) alone: \(how)\(effort.text)"]
    }

    private static let fewObjects = 100
}

extension QueryEffort {
    /// What was read, as a line for people.
    package var text: String {
        if leaves == 0, let candidates {
            return "looked at none of the \(candidates) objects that were named"
        }
        let objects = candidates == nil ? "\(rows) objects" : "\(rows) objects that were named"
        return "looked at \(objects), in \(leaves) leaves: \(skippedLeaves) of them skipped by "
            + "zone maps, \(matchingLeaves) with a match"
    }
}
