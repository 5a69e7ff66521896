import StorageEngine

extension InspectedVersion {
    /// Which objects a table shows, in which order.
    public struct Question: Hashable, Sendable {
        public var className: String
        /// Nil for all objects.
        public var predicate: String?
        /// `name`, `name:desc` or `owner.name`; nil for the order in which objects were made.
        public var order: String?

        public init(className: String, predicate: String? = nil, order: String? = nil) {
            self.className = className
            self.predicate = predicate
            self.order = order
        }
    }
}

/// The objects that were found for the last questions, so that the next rows of a table need no
/// search. A key takes up to eight bytes, mostly fewer.
struct FoundObjects: Sendable {
    private var answers: [(question: InspectedVersion.Question, keys: PackedKeys)] = []
    private static let mostAnswers = 4

    mutating func keys(for question: InspectedVersion.Question) -> PackedKeys? {
        guard let index = answers.firstIndex(where: { $0.question == question }) else {
            return nil
        }
        answers.append(answers.remove(at: index))
        return answers.last?.keys
    }

    mutating func keep(_ keys: PackedKeys, for question: InspectedVersion.Question) {
        answers.removeAll { $0.question == question }
        if answers.count == Self.mostAnswers { answers.removeFirst() }
        answers.append((question, keys))
    }
}

/// What a question has found, as far as the rows that are asked for need it.
enum FoundRows {
    /// All objects, in the order in which they were made.
    case all(Int)
    case keys(PackedKeys)
    /// The first objects, and the number of all.
    case first([ObjectKey], of: Int)

    var count: Int {
        switch self {
        case .all(let count), .first(_, of: let count): count
        case .keys(let keys): keys.count
        }
    }

    func location(at position: Int, in table: Table) throws -> RowLocation? {
        switch self {
        case .all: try table.location(at: position)
        case .keys(let keys): try table.location(of: keys[position])
        case .first(let keys, of: _): try table.location(of: keys[position])
        }
    }
}
