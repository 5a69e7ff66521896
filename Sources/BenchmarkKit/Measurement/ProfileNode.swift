/// A function in a tree of calls, with what it cost together with all that it called.
struct ProfileNode: Codable, Equatable {
    var name: String
    /// Samples or instructions, those of the callees included.
    var cost = 0.0
    var callees: [ProfileNode] = []

    init(_ name: String) { self.name = name }

    /// Adds the cost of a stack, whose outermost function comes first.
    mutating func add(_ stack: some Sequence<String>, cost: Double) {
        add(Array(stack)[...], cost)
    }

    private mutating func add(_ stack: ArraySlice<String>, _ added: Double) {
        cost += added
        guard let first = stack.first else { return }
        var index = callees.count
        if let known = callees.firstIndex(where: { $0.name == first }) {
            index = known
        } else {
            callees.append(ProfileNode(first))
        }
        callees[index].add(stack.dropFirst(), added)
    }

    /// The number of functions in the longest stack below this one.
    var depth: Int { callees.map { $0.depth + 1 }.max() ?? 0 }

    /// The tree without the functions that cost less than `least`.
    func pruned(below least: Double) -> ProfileNode {
        var node = self
        node.callees = callees.filter { $0.cost >= least }.map { $0.pruned(below: least) }
        return node
    }
}

/// Where the time, or the instructions, of the measured region of a case went.
struct CaseProfile: Codable, Equatable {
    enum Unit: String, Codable {
        case samples, instructions
    }

    var unit: Unit
    /// The tree; its root stands for the measured region.
    var root: ProfileNode
    /// What a reader has to know about the figures.
    var note: String
}
