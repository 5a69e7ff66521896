import Testing
import ToolSupport

@testable import StorageEngine

/// Everything that a connection sees, as plain values: the model to which changes are applied.
struct DatabaseImage: Equatable {
    indirect enum Value: Hashable {
        case scalar(OracleValue)
        /// An entry of a map.
        case entry(key: [UInt8], Value)
        case collection(CollectionKind, [Value])
        /// A collection inside a mixed value.
        case nested(CollectionIdentity, Value)

        init(_ scalar: Scalar, of type: ValueType, _ pager: Pager) throws(StorageError) {
            guard type == .mixed, let nested = NestedCollection(scalar) else {
                self = .scalar(OracleValue(scalar))
                return
            }
            self = .nested(
                nested.identity,
                try Value(
                    StoredCollection(
                        pager: pager, bytes: nested.rows, format: .nested(nested.kind))))
        }

        init(_ collection: StoredCollection) throws(StorageError) {
            var rows: [Value] = []
            try collection.forEach { row throws(StorageError) in
                let value = try Value(row.value, of: collection.format.type, collection.pager)
                rows.append(
                    collection.format.hasKeys ? .entry(key: Array(row.key), value) : value)
                return true
            }
            self = .collection(collection.format.collection, rows)
        }

        var elements: [Value]? {
            if case .collection(_, let elements) = self { elements } else { nil }
        }

        /// The part of an element that must be equal before and after for the element to count as
        /// kept: the whole element in sets, the key in maps, nothing in lists.
        func identity(in kind: CollectionKind) -> Value {
            switch (kind, self) {
            case (.set, _): self
            case (.map, .entry(let key, _)): .scalar(.bytes(key))
            default: .scalar(.null)
            }
        }
    }

    /// The values by table and object, in the order of the columns.
    var tables: [[ObjectKey: [Value]]] = []

    init(_ connection: Connection) throws {
        for table in connection.tables {
            var objects: [ObjectKey: [Value]] = [:]
            for position in 0..<(try table.count()) {
                let key = try table.key(at: position)
                objects[key] = try (0..<table.propertyCount).map { try Self.value(table, $0, key) }
            }
            tables.append(objects)
        }
    }

    private static func value(_ table: Table, _ column: Int, _ key: ObjectKey) throws -> Value {
        let definition = table.definition.columns[column]
        guard definition.collection != .none else {
            return try Value(table.value(column, of: key), of: definition.type, table.pager)
        }
        return try Value(table.collection(column, of: key, kind: definition.collection).stored())
    }
}

/// Sets of columns by object.
typealias TouchedColumns = [ObjectKey: Set<UInt16>]

extension ChangeSet {
    /// Checks that these changes lead from one image to the other.
    func check(_ old: DatabaseImage, _ new: DatabaseImage, _ comment: Comment) throws {
        for number in new.tables.indices {
            let before = number < old.tables.count ? old.tables[number] : [:]
            try (tables[number] ?? TableChanges()).check(before, new.tables[number], comment)
        }
        try #require(tables.keys.allSatisfy { new.tables.indices.contains($0) }, comment)
        try #require(tables.values.allSatisfy { !$0.isEmpty }, comment)
    }
}

extension TableChanges {
    fileprivate func check(
        _ old: [ObjectKey: [DatabaseImage.Value]], _ new: [ObjectKey: [DatabaseImage.Value]],
        _ comment: Comment
    ) throws {
        let (before, after) = (Set(old.keys), Set(new.keys))
        try #require(Set(insertions.keys) == after.subtracting(before), comment)
        try #require(Set(deletions.keys) == before.subtracting(after), comment)
        let modified = touchedColumns
        try #require(Set(modified.keys).isSubset(of: before.intersection(after)), comment)
        for key in before.intersection(after) {
            let differing = Self.differing(old[key]!, new[key]!)
            try #require(differing.isSubset(of: modified[key] ?? []), comment)
            for column in modified[key] ?? [] {
                let change = collections[CollectionPlace(owner: key, column: column)]
                guard case .collection(let kind, let elements) = old[key]![Int(column)] else {
                    try #require(change == nil, comment)
                    continue
                }
                let newElements = new[key]![Int(column)].elements!
                try #require(change, comment).check(elements, newElements, comment)
                try #require(
                    change!.isKeeping(
                        elements.map { $0.identity(in: kind) },
                        newElements.map { $0.identity(in: kind) }), comment)
            }
        }
        for place in collections.keys {
            try #require(modified[place.owner]?.contains(place.column) == true, comment)
        }
    }

    static func differing(
        _ old: [DatabaseImage.Value], _ new: [DatabaseImage.Value]
    ) -> Set<UInt16> {
        Set(old.indices.filter { old[$0] != new[$0] }.map(UInt16.init))
    }

    var touchedColumns: TouchedColumns {
        Dictionary(
            uniqueKeysWithValues: modifications.objects.map { ($0.key, Set($0.columns.ids)) })
    }
}

extension CollectionChange {
    /// Whether all kept elements, modified or not, are equal in both arrays.
    fileprivate func isKeeping<Value: Hashable>(_ old: [Value], _ new: [Value]) -> Bool {
        let (deleted, inserted) = (Set(deletions.joined()), Set(insertions.joined()))
        return old.indices.filter { !deleted.contains($0) }.map { old[$0] }
            == new.indices.filter { !inserted.contains($0) }.map { new[$0] }
    }

    /// Checks that this leads from one array to the other.
    func check<Value: Hashable>(_ old: [Value], _ new: [Value], _ comment: Comment) throws {
        try #require(oldCount == old.count && newCount == new.count, comment)
        let deleted = Set(deletions.joined())
        let inserted = Set(insertions.joined())
        let modified = Set(modifications.joined())
        let kept = old.indices.filter { !deleted.contains($0) }
        let taken = new.indices.filter { !inserted.contains($0) }
        try #require(kept.count == taken.count, comment)
        for (before, after) in zip(kept, taken) where !modified.contains(before) {
            try #require(old[before] == new[after], comment)
        }
        try #require(modified.isSubset(of: kept), comment)
        for move in moves {
            try #require(deleted.contains(move.from) && inserted.contains(move.to), comment)
        }
        // Adjacent ranges must be merged.
        for ranges in [deletions, insertions] {
            try #require(
                zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound },
                comment)
        }
    }
}

/// A generator of random transactions on two tables that keeps track of the properties that they
/// set.
struct ChangeWorkload {
    static let definitions = [
        TableDefinition(
            name: "Person",
            columns: [
                ColumnDefinition(name: "age", type: .int),
                ColumnDefinition(name: "name", type: .string, isOptional: true),
                ColumnDefinition(name: "weight", type: .double),
                ColumnDefinition(name: "dogs", type: .link, collection: .list, linkTarget: "Dog"),
                ColumnDefinition(
                    name: "words", type: .string, collection: .list, isOptional: true),
                ColumnDefinition(name: "numbers", type: .int, collection: .list),
            ]),
        TableDefinition(
            name: "Dog",
            columns: [
                ColumnDefinition(name: "tag", type: .string, isPrimaryKey: true),
                ColumnDefinition(
                    name: "owner", type: .link, isOptional: true, linkTarget: "Person"),
            ]),
    ]

    var random: SeededGenerator
    /// The properties set since the last `reset`, including those of deleted and new objects.
    private(set) var touched: [TouchedColumns] = [[:], [:]]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func forget() { touched = [[:], [:]] }

    private mutating func touch(_ table: Table, _ key: ObjectKey, _ column: Int) {
        touched[table.index][key, default: []].insert(UInt16(column))
    }

    /// Returns the touched columns of the objects that are in both images.
    func touched(_ old: DatabaseImage, _ new: DatabaseImage) -> [TouchedColumns] {
        new.tables.indices.map { number in
            touched[number].filter { key, _ in
                old.tables[number][key] != nil && new.tables[number][key] != nil
            }
        }
    }

    // MARK: Steps

    mutating func step(_ connection: Connection) throws {
        let people = try connection.table(named: "Person")!
        let dogs = try connection.table(named: "Dog")!
        switch random.next(below: 20) {
        case 0...2: try insertPeople(people)
        case 3...4: try insertDog(dogs, owner: try anyKey(people))
        case 5: try delete(people, touching: dogs, 1)
        case 6: try deleteDog(dogs, people)
        case 7...9: try setPerson(people)
        case 10: try setOwner(dogs, people)
        case 11...14:
            guard let dog = try anyKey(dogs) else { return }
            try changeList(people, 3) { _ in .integer(dog.rawValue) }
        case 15...16: try changeList(people, 5) { .integer(Int64($0.next(below: 4))) }
        default: try changeWords(people)
        }
    }

    private mutating func anyKey(_ table: Table) throws -> ObjectKey? {
        let count = try table.count()
        return count == 0 ? nil : try table.key(at: random.next(below: count))
    }

    private mutating func insertPeople(_ table: Table) throws {
        for _ in 0...random.next(below: random.next(below: 8) == 0 ? 400 : 2) {
            let age = Scalar.integer(Int64(random.next(below: 100)))
            _ = try withUnsafePointer(to: age) {
                try table.insert(UnsafeBufferPointer(start: $0, count: 1))
            }
        }
    }

    private mutating func insertDog(_ table: Table, owner: ObjectKey?) throws {
        try Array("dog \(random.next())".utf8).withUnsafeBytes { tag in
            _ = try [.bytes(tag), owner.map { .integer($0.rawValue) } ?? .null]
                .withUnsafeBufferPointer { try table.insert($0) }
        }
    }

    /// Deletes an object to which objects of `referrers` link in `column`.
    private mutating func delete(_ table: Table, touching referrers: Table, _ column: Int) throws {
        guard let key = try anyKey(table) else { return }
        for position in 0..<(try referrers.count()) {
            let referrer = try referrers.key(at: position)
            if case .integer(key.rawValue) = try referrers.value(column, of: referrer) {
                touch(referrers, referrer, column)
            }
        }
        try table.delete(key)
    }

    private mutating func deleteDog(_ table: Table, _ people: Table) throws {
        guard let key = try anyKey(table) else { return }
        for position in 0..<(try people.count()) {
            let person = try people.key(at: position)
            if try people.list(3, of: person).firstIndex(of: .integer(key.rawValue)) != nil {
                touch(people, person, 3)
            }
        }
        try table.delete(key)
    }

    private mutating func setPerson(_ table: Table) throws {
        guard let key = try anyKey(table) else { return }
        let column = random.next(below: 3)
        touch(table, key, column)
        if random.next(below: 3) == 0 {
            // The value stays the same.
            return try table.set(column, of: key, to: try table.value(column, of: key))
        }
        switch column {
        case 0: try table.set(0, of: key, to: .integer(Int64(random.next(below: 1 << 30))))
        case 1:
            let text = [UInt8](repeating: 97, count: random.next(below: 1500))
            try text.withUnsafeBytes { try table.set(1, of: key, to: .bytes($0)) }
        default: try table.set(2, of: key, to: .double(Double(random.next(below: 8)) / 4))
        }
    }

    private mutating func setOwner(_ dogs: Table, _ people: Table) throws {
        guard let dog = try anyKey(dogs) else { return }
        let owner = random.next(below: 4) == 0 ? nil : try anyKey(people)
        try dogs.set(1, of: dog, to: owner.map { .integer($0.rawValue) } ?? .null)
        touch(dogs, dog, 1)
    }

    private mutating func changeWords(_ table: Table) throws {
        let word = [UInt8](repeating: 98, count: random.next(below: 12))
        try word.withUnsafeBytes { bytes in
            try changeList(table, 4) { $0.next(below: 5) == 0 ? .null : .bytes(bytes) }
        }
    }

    /// Changes a list. A few lists get most elements, so that some outgrow their row.
    private mutating func changeList(
        _ table: Table, _ column: Int, _ element: (inout SeededGenerator) -> Scalar
    ) throws {
        guard try table.count() > 0 else { return }
        let key = try random.next(below: 2) == 0 ? table.key(at: 0) : anyKey(table)!
        let list = table.list(column, of: key)
        let count = try list.count()
        touch(table, key, column)
        switch random.next(below: 12) {
        case 6 where count > 0: try list.remove(at: random.next(below: count))
        case 7...8 where count > 0:
            try list.set(element(&random), at: random.next(below: count))
        case 9 where count > 1:
            let from = random.next(below: count)
            try list.move(from: from, to: (from + 1 + random.next(below: count - 1)) % count)
        case 10 where random.next(below: 8) == 0: try list.removeAll()
        case 11 where count > 0:
            let index = random.next(below: count)
            try list.set(try list.value(at: index), at: index)
        default:
            for _ in 0...random.next(below: 30) {
                try list.insert(
                    element(&random), at: random.next(below: try list.count() + 1))
            }
        }
    }
}
