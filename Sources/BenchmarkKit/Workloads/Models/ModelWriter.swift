import StorageEngine
import ToolSupport

/// One writer of a model's file: it chooses operations, and does them in transactions.
final class ModelWriter: MeasuredStore {
    /// An operation that is chosen, with the values that it writes or has to find.
    fileprivate enum Step {
        case insert(table: Int, place: Int, [ModelValue])
        case update(table: Int, place: Int, [(column: Int, value: ModelValue)])
        case read(table: Int, place: Int, [(column: Int, value: ModelValue)])
        case delete(table: Int, place: Int)

        var isChange: Bool { if case .read = self { false } else { true } }
    }

    /// The operations of one transaction.
    struct Batch {
        fileprivate var steps: [Step]
        var count: Int { steps.count }
        /// Whether it changes anything; else it only reads.
        var isChange: Bool { steps.contains(where: \.isChange) }
    }

    private let model: ModelDescription
    private let columns: [[Int]]
    private let classes: [Int]
    /// The sums of the shares up to each operation.
    private let shares: [Double]
    private let connection: Connection
    private let tables: [Table]
    private let durability: Durability
    private(set) var objects: [ModelObjects]
    private var random: SeededGenerator
    private(set) var lastCommit: CommitCost?

    init(
        _ model: ModelDescription, at path: String, durability: Durability, seed: UInt64,
        writer: Int = 0, of writers: Int = 1
    ) throws {
        self.model = model
        self.durability = durability
        columns = model.operations.map(model.columns)
        classes = model.operations.map { operation in
            model.classes.firstIndex { $0.name == operation.class } ?? 0
        }
        shares = model.operations.reduce(into: []) { $0.append(($0.last ?? 0) + $1.share) }
        connection = try Connection(Database.open(path: path, options: .ofCase))
        var loaded: [String: [ObjectKey]] = [:]
        var tables: [Table] = []
        var objects: [ModelObjects] = []
        for (number, own) in model.classes.enumerated() {
            guard let table = try connection.table(named: own.name) else {
                throw BenchmarkError(.caseFailed, "The file has no table '\(own.name)'.")
            }
            let keys = try Self.keys(of: table)
            let values = ModelValues(own, number: number, seed: seed, targets: loaded)
            loaded[own.name] = keys
            tables.append(table)
            objects.append(ModelObjects(values, loaded: keys, writer: writer, of: writers))
        }
        self.tables = tables
        self.objects = objects
        random = SeededGenerator(seed: mix64(seed ^ UInt64(writer + 1)))
    }

    static func keys(of table: Table) throws -> [ObjectKey] {
        var keys: [ObjectKey] = []
        try table.forEachLeaf(keepsLeaves: false) { leaf, _ throws(StorageError) in
            for row in 0..<leaf.rowCount {
                keys.append(table.key(at: RowLocation(leaf: leaf, row: row)))
            }
            return true
        }
        return keys
    }

    // MARK: Choosing

    /// Chooses the operations of the next transaction.
    func next(_ count: Int) -> Batch {
        var batch = Batch(steps: [])
        batch.steps.reserveCapacity(count)
        while batch.steps.count < count { batch.steps.append(step()) }
        return batch
    }

    private func step() -> Step {
        let share = random.nextUnit() * (shares.last ?? 0)
        let chosen = shares.firstIndex { share < $0 } ?? shares.count - 1
        let (operation, table) = (model.operations[chosen], classes[chosen])
        // Where no object is left, another one is inserted.
        guard operation.do != .insert,
            let (index, place) = objects[table].choose(operation.choice ?? .uniform, &random)
        else {
            let (place, values) = objects[table].insert()
            return .insert(table: table, place: place, values)
        }
        switch operation.do {
        case .delete, .insert:
            objects[table].delete(at: index)
            return .delete(table: table, place: place)
        case .update:
            return .update(
                table: table, place: place,
                columns[chosen].map { ($0, objects[table].change($0, at: place)) })
        case .read:
            return .read(
                table: table, place: place,
                columns[chosen].map { ($0, objects[table].value($0, at: place)) })
        }
    }

    // MARK: Doing

    /// Does the operations in one transaction, or reads in one version if they change nothing.
    func run(_ batch: Batch) throws {
        guard batch.isChange else {
            try connection.refresh()
            for step in batch.steps { try run(step) }
            lastCommit = CommitCost(pages: 0, syncNanoseconds: 0)
            return
        }
        try connection.beginWrite()
        do { for step in batch.steps { try run(step) } } catch {
            connection.rollback()
            throw error
        }
        lastCommit = CommitCost(try connection.commit(durability.ofCommit))
    }

    private func run(_ step: Step) throws {
        switch step {
        case .insert(let table, let place, let values):
            objects[table].keys[place] = try ModelValue.withScalars(values) {
                try tables[table].insert($0)
            }
        case .update(let table, let place, let values):
            let key = try key(table, place)
            for (column, value) in values {
                try value.withScalar { try tables[table].set(column, of: key, to: $0) }
            }
        case .delete(let table, let place): try tables[table].delete(key(table, place))
        case .read(let table, let place, let values):
            guard let location = try tables[table].location(of: key(table, place)) else {
                throw lost(table)
            }
            for (column, value) in values
            where try !value.isEqual(to: tables[table].value(column, at: location)) {
                throw BenchmarkError(
                    .caseFailed,
                    "'\(values.isEmpty ? "" : model.classes[table].properties[column].name)' of an "
                        + "object of '\(model.classes[table].name)' is not what was written.")
            }
        }
    }

    /// Finds an object as an application does: by its primary key, if the class has one.
    private func key(_ table: Int, _ place: Int) throws -> ObjectKey {
        if let column = model.classes[table].primaryKey {
            let found = try objects[table].value(column, at: place).withScalar {
                try tables[table].find(primaryKey: $0)
            }
            if let found { return found }
        } else if let key = objects[table].keys[place] {
            return key
        }
        throw lost(table)
    }

    private func lost(_ table: Int) -> BenchmarkError {
        BenchmarkError(
            .caseFailed, "An object of '\(model.classes[table].name)' is not in the file.")
    }

    func size() throws -> StoreSize { StoreSize(try connection.database.statistics()) }
}
