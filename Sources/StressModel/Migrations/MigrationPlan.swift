import StorageEngine

/// How much a file that is migrated holds.
package enum MigrationScale: String, CaseIterable, Sendable {
    case small, mixed
    /// Over 16 MiB, all of which the last migration writes.
    case large

    var objects: Int {
        switch self {
        case .small: 5
        case .mixed: 60
        case .large: 20
        }
    }

    /// The number of objects with data of some KiB.
    var objectsWithPayload: Int { self == .large ? 1500 : 0 }
}

/// A file and the migrations that it goes through, all drawn from a seed. The last one is the one
/// to be disturbed.
package struct MigrationPlan: Sendable {
    package let initial: MigratedDatabase
    package private(set) var stages: [MigrationStage] = []

    /// The schema version of the file as it is made. Each migration adds one.
    package static let firstVersion: UInt64 = 1

    package var last: MigrationStage { stages[stages.count - 1] }
    package var lastVersion: UInt64 { Self.firstVersion + UInt64(stages.count) }

    /// Tries until a migration ends as it is wanted to.
    private static let attempts = 40

    /// - Parameter migrations: the number of migrations, at least one.
    package init(seed: UInt64, scale: MigrationScale, migrations: Int) {
        var drawing = PlanDrawing(seed: seed, scale: scale)
        initial = drawing.drawContents()
        var (database, names) = (initial, initial.definitions.keys.sorted())
        for number in 1...migrations {
            let fails = number == migrations && drawing.random.isOne(in: 6)
            var stage = drawing.drawStage(from: database, names, fails: fails)
            for _ in 0..<Self.attempts where (stage.after == nil) != fails {
                stage = drawing.drawStage(from: database, names, fails: fails)
            }
            stages.append(stage)
            database = stage.after ?? database
            names = stage.wanted.map(\.name)
        }
    }
}
/// What draws plans.
///
/// Classes that begin with C are top-level and link to each other. Embedded ones begin with E. Each
/// object of a class that begins with O is in one property of one object of C0, so that it may
/// become embedded.
private struct PlanDrawing {
    var random: RepeatableRandom
    private let scale: MigrationScale
    private var properties = 0
    private var classes = 0
    private var nextTag = 1

    private static let types: [ValueType] = [
        .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128, .mixed,
    ]
    private static let first = "C0"
    private static let embedded = "E0"
    private static let owned = "O0"
    private static let owner = "owned"

    init(seed: UInt64, scale: MigrationScale) {
        random = RepeatableRandom(seed: seed, part: 60 << 32)
        self.scale = scale
    }

    private mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[random.below(elements.count)]
    }

    private mutating func drawTag() -> Int {
        defer { nextTag += 1 }
        return nextTag
    }

    private static let tag = ColumnDefinition(
        name: ColumnDefinition.tag, type: .int, integerBits: 64)

    // MARK: Properties

    private mutating func newName() -> String {
        properties += 1
        return "p\(properties)"
    }

    private mutating func drawPlain(_ name: String) -> ColumnDefinition {
        let type = pick(Self.types)
        let collection = pick([CollectionKind.none, .none, .none, .list, .set, .map])
        return ColumnDefinition(
            name: name, type: type, collection: collection,
            isOptional: type != .mixed && chance(40),
            isIndexed: collection == .none && type.traits.indexKeyKind != nil && chance(25),
            integerBits: type == .int ? 64 : 0)
    }

    private mutating func drawReference(
        _ name: String, to target: TableDefinition
    ) -> ColumnDefinition {
        let kinds: [CollectionKind] =
            target.isEmbedded ? [.none, .list, .map] : [.none, .list, .set, .map]
        let collection = pick(kinds)
        return ColumnDefinition(
            name: name, type: target.isEmbedded ? .embedded : .link, collection: collection,
            // Lists and sets hold no nulls.
            isOptional: collection == .none || collection == .map, linkTarget: target.name)
    }

    private mutating func drawPlains(atLeast least: Int) -> [ColumnDefinition] {
        (0..<least + random.below(4)).map { _ in drawPlain(newName()) }
    }

    // MARK: Contents

    /// Draws classes and objects.
    mutating func drawContents() -> MigratedDatabase {
        var definitions = [
            TableDefinition(
                name: Self.embedded, columns: [Self.tag] + drawPlains(atLeast: 1),
                isEmbedded: true),
            TableDefinition(name: Self.owned, columns: [Self.tag] + drawPlains(atLeast: 1)),
        ]
        for _ in 0..<2 + random.below(2) {
            definitions.append(TableDefinition(name: newClassName(), columns: [Self.tag]))
        }
        let targets = definitions.filter { $0.name.hasPrefix("C") }
        for index in definitions.indices.dropFirst(2) {
            definitions[index].columns += drawPlains(atLeast: 2)
            for _ in 0..<random.below(3) {
                definitions[index].columns.append(drawReference(newName(), to: pick(targets)))
            }
            if chance(70) {
                definitions[index].columns.append(drawReference(newName(), to: definitions[0]))
            }
            if index == 2 { completeFirst(&definitions[index]) }
            if index == 3 {
                definitions[index].columns.append(
                    ColumnDefinition(
                        name: ColumnDefinition.key, type: .string, isIndexed: chance(50)))
            }
        }
        var database = MigratedDatabase()
        for definition in definitions {
            database.definitions[definition.name] = definition
            database.rows[definition.name] = [:]
        }
        for definition in targets.map(\.name) { drawObjects(of: definition, &database) }
        for definition in targets.map(\.name) { drawLinks(of: definition, &database) }
        return database
    }

    private mutating func completeFirst(_ definition: inout TableDefinition) {
        let collection: CollectionKind = chance(50) ? .list : .none
        definition.columns.append(
            ColumnDefinition(
                name: Self.owner, type: .link, collection: collection,
                isOptional: collection == .none, linkTarget: Self.owned))
        if scale.objectsWithPayload > 0 {
            definition.columns.append(
                ColumnDefinition(name: ColumnDefinition.payload, type: .data))
        }
    }

    private mutating func newClassName() -> String {
        defer { classes += 1 }
        return "C\(classes)"
    }

    private mutating func drawObjects(of name: String, _ database: inout MigratedDatabase) {
        let withPayload = name == Self.first ? scale.objectsWithPayload : 0
        for _ in 0..<max(withPayload, 1 + random.below(2 * scale.objects)) {
            drawObject(of: name, drawTag(), &database)
        }
    }

    /// Draws an object with what it owns.
    private mutating func drawObject(
        of name: String, _ tag: Int, _ database: inout MigratedDatabase
    ) {
        let columns = database.definitions[name]!.columns
        let salt = random.next()
        var row = MigratedDatabase.Row(values: [:])
        for column in columns {
            if column.isPlain {
                row.values[column.name] = .drawn(column, tag: tag, salt: salt)
            } else if let target = column.linkTarget,
                column.name == Self.owner || database.owns(column)
            {
                let count = column.collection == .none ? random.below(2) : random.below(3)
                let tags = (0..<count).map { _ in drawTag() }
                for tag in tags { drawObject(of: target, tag, &database) }
                row.values[column.name] = .inCollection(column, tags.map { .object($0) })
            }
        }
        database.rows[name]![tag] = row
    }

    private mutating func drawLinks(of name: String, _ database: inout MigratedDatabase) {
        for column in database.definitions[name]!.columns
        where !column.isPlain && column.name != Self.owner && !database.owns(column) {
            let targets = database.rows[column.linkTarget!]!.keys.sorted()
            for tag in database.rows[name]!.keys.sorted() {
                let elements = (0..<random.below(4)).map { _ in
                    MigratedValue.object(targets[random.below(targets.count)])
                }
                database.rows[name]![tag]!.values[column.name] = .inCollection(column, elements)
            }
        }
    }

    // MARK: Migrations

    /// What a migration changes, as it is drawn.
    private struct Draft {
        var classes: [TableDefinition]
        var renames: [MigrationAction] = []
        var edits: [String: [MigrationEdit]] = [:]
        /// For each class, a property that the block gives embedded objects.
        var embeddings: [String: ColumnDefinition] = [:]
        var creations: [MigrationAction] = []
        var deletions: [MigrationAction] = []

        func index(of name: String) -> Int? { classes.firstIndex { $0.name == name } }
    }

    mutating func drawStage(
        from database: MigratedDatabase, _ names: [String], fails: Bool
    ) -> MigrationStage {
        nextTag = 1 + (database.rows.values.flatMap(\.keys).max() ?? 0)
        var draft = Draft(classes: names.map { database.definitions[$0]! })
        if chance(25) { removeClass(&draft, database) }
        var toggled: Set<String> = []
        for name in [Self.embedded, Self.owned] where chance(30) { toggle(name, &draft, &toggled) }
        if chance(35) { addClass(&draft) }
        for index in draft.classes.indices
        where database.definitions[draft.classes[index].name] != nil {
            changeProperties(index, &draft, toggled)
            addProperties(index, &draft, toggled)
            changeKey(index, &draft)
            if chance(25) { draft.classes[index].columns.shuffle(using: &random) }
        }
        addEmbeddings(&draft)
        if fails { spoil(&draft, database) }
        return MigrationStage(draft.classes, actions(of: draft), from: database)
    }

    /// Puts what a block does into an order. Properties are renamed before objects are changed, and
    /// objects created after that.
    private mutating func actions(of draft: Draft) -> [MigrationAction] {
        var visits = draft.edits.sorted { $0.key < $1.key }.map { name, edits in
            let deletes = name.hasPrefix("C") && chance(25)
            return MigrationAction.visit(
                name, edits,
                deletes: deletes ? random.below(MigrationAction.deletionModulus) : nil)
        }
        visits.shuffle(using: &random)
        // Objects are accessed before that.
        let isLate = chance(20)
        let look = isLate ? [MigrationAction.visit(pick(draft.classes).name, [], deletes: nil)] : []
        let deletesFirst = chance(50)
        return look + draft.renames + (deletesFirst ? draft.deletions : []) + visits
            + draft.creations + (deletesFirst ? [] : draft.deletions)
    }

    private mutating func removeClass(_ draft: inout Draft, _ database: MigratedDatabase) {
        let candidates = draft.classes.map(\.name).filter { $0.hasPrefix("C") && $0 != Self.first }
        guard !candidates.isEmpty else { return }
        let name = pick(candidates)
        draft.classes.removeAll { $0.name == name }
        for index in draft.classes.indices {
            draft.classes[index].columns.removeAll { $0.linkTarget == name }
        }
        // The properties of a class that was removed before keep theirs.
        let isLinked = database.definitions.values.contains { definition in
            definition.name != name && draft.index(of: definition.name) == nil
                && definition.columns.contains { $0.linkTarget == name }
        }
        if !isLinked, chance(60) { draft.deletions.append(.deleteData(name)) }
    }

    private mutating func toggle(
        _ name: String, _ draft: inout Draft, _ toggled: inout Set<String>
    ) {
        guard let index = draft.index(of: name) else { return }
        toggled.insert(name)
        let isEmbedded = !draft.classes[index].isEmbedded
        draft.classes[index].isEmbedded = isEmbedded
        for column in draft.classes[index].columns.indices where isEmbedded {
            draft.classes[index].columns[column].isPrimaryKey = false
        }
        for other in draft.classes.indices {
            for column in draft.classes[other].columns.indices
            where draft.classes[other].columns[column].linkTarget == name {
                draft.classes[other].columns[column].type = isEmbedded ? .embedded : .link
            }
        }
    }

    private mutating func addClass(_ draft: inout Draft) {
        let targets = draft.classes.filter { $0.name.hasPrefix("C") }
        let definition = TableDefinition(
            name: newClassName(),
            columns: [Self.tag] + drawPlains(atLeast: 1)
                + [drawReference(newName(), to: pick(targets))])
        draft.classes.append(definition)
        let tags = (0..<1 + random.below(scale.objects)).map { _ in drawTag() }
        draft.creations.append(.create(definition, tags: tags, salt: random.next()))
    }

    /// Removes, renames and changes properties of a class.
    private mutating func changeProperties(
        _ index: Int, _ draft: inout Draft, _ toggled: Set<String>
    ) {
        let name = draft.classes[index].name
        let fixed = [ColumnDefinition.tag, ColumnDefinition.key, ColumnDefinition.payload]
        var columns: [ColumnDefinition] = []
        for column in draft.classes[index].columns {
            let isToggled = column.linkTarget.map { toggled.contains($0) } ?? false
            guard !fixed.contains(column.name), !isToggled else {
                columns.append(column)
                if column.name == ColumnDefinition.payload {
                    draft.edits[name, default: []].append(.fill(column, salt: random.next()))
                }
                continue
            }
            switch random.below(100) {
            case ..<10: break
            case ..<20: columns.append(rename(column, name, &draft))
            case ..<32 where column.isPlain:
                let new = drawPlain(column.name)
                draft.edits[name, default: []].append(.convert(from: column, to: new))
                columns.append(new)
            case ..<42 where column.isPlain && column.type != .mixed:
                columns.append(column)
                columns[columns.count - 1].isOptional.toggle()
            case ..<50
            where column.isPlain && column.collection == .none
                && column.type.traits.indexKeyKind != nil:
                columns.append(column)
                columns[columns.count - 1].isIndexed.toggle()
            case ..<60 where column.isPlain:
                columns.append(column)
                draft.edits[name, default: []].append(.fill(column, salt: random.next()))
            default: columns.append(column)
            }
        }
        draft.classes[index].columns = columns
    }

    private mutating func rename(
        _ column: ColumnDefinition, _ name: String, _ draft: inout Draft
    ) -> ColumnDefinition {
        var new = column
        new.name = newName()
        if column.isPlain, column.collection == .none, column.type != .mixed, chance(30) {
            new.isOptional = true
        }
        draft.renames.append(
            .rename(
                name, from: column.name, via: chance(40) ? newName() : nil, to: new.name))
        return new
    }

    private mutating func addProperties(
        _ index: Int, _ draft: inout Draft, _ toggled: Set<String>
    ) {
        let definition = draft.classes[index]
        let isTopLevel = definition.name.hasPrefix("C")
        for _ in 0..<random.below(3) {
            let choice = isTopLevel ? random.below(4) : 0
            let target = choice == 3 ? Self.embedded : definition.name
            guard choice >= 2, !toggled.contains(target), let place = draft.index(of: target)
            else {
                let column = drawPlain(newName())
                draft.classes[index].columns.append(column)
                if chance(70) {
                    draft.edits[definition.name, default: []]
                        .append(.fill(column, salt: random.next()))
                }
                continue
            }
            let column = drawReference(newName(), to: draft.classes[place])
            draft.classes[index].columns.append(column)
            if target == definition.name {
                draft.edits[definition.name, default: []].append(.linkItself(column))
            } else if column.type == .embedded, chance(70) {
                draft.embeddings[definition.name] = column
            }
        }
    }

    /// Has the block create embedded objects, which only now have all their properties.
    private mutating func addEmbeddings(_ draft: inout Draft) {
        guard let embedded = draft.classes.first(where: { $0.name == Self.embedded }) else {
            return
        }
        for (name, column) in draft.embeddings.sorted(by: { $0.key < $1.key }) {
            draft.edits[name, default: []]
                .append(.embed(column, embedded, base: nextTag, salt: random.next()))
            // Tags of owners are less than the base.
            nextTag *= 2
        }
    }

    /// Has another property, or none, be the primary key.
    private mutating func changeKey(_ index: Int, _ draft: inout Draft) {
        guard !draft.classes[index].isEmbedded, chance(35) else { return }
        let names = [ColumnDefinition.tag, ColumnDefinition.key, "none"]
        setKey(pick(names), index, &draft)
    }

    private func setKey(_ name: String, _ index: Int, _ draft: inout Draft) {
        for column in draft.classes[index].columns.indices {
            let isKey = draft.classes[index].columns[column].name == name
            if draft.classes[index].columns[column].isPrimaryKey || isKey {
                draft.classes[index].columns[column].isIndexed = isKey
            }
            draft.classes[index].columns[column].isPrimaryKey = isKey
        }
    }

    /// Has the migration fail: a key has duplicates, or a property a name that nobody knows.
    private mutating func spoil(_ draft: inout Draft, _ database: MigratedDatabase) {
        guard let index = draft.index(of: Self.first) else { return }
        let old = database.definitions[Self.first]?.columns ?? []
        let gone = old.first { column in
            !draft.classes[index].columns.contains { $0.name == column.name }
                && !draft.renames.contains {
                    if case .rename(Self.first, column.name, _, _) = $0 { true } else { false }
                }
        }
        if let gone, chance(50) {
            draft.renames.append(.rename(Self.first, from: gone.name, via: newName(), to: nil))
            return
        }
        let column = ColumnDefinition(name: newName(), type: .int, integerBits: 64)
        draft.classes[index].columns.append(column)
        setKey(column.name, index, &draft)
    }
}
