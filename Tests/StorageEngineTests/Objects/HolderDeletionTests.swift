import Foundation
import StressModel
import Testing

@testable import StorageEngine

/// Deleting many objects at once that one collection holds.
@Suite struct HolderDeletionTests {
    private let directory = TestDirectory()
    private static let count = 1500

    /// The columns of the one holder.
    private static let columns: [(name: String, type: ValueType, collection: CollectionKind)] = [
        ("list", .link, .list), ("set", .link, .set), ("map", .link, .map),
        ("mixedList", .mixed, .list), ("mixedSet", .mixed, .set), ("mixedMap", .mixed, .map),
    ]

    private func make() throws -> (Connection, held: Table, holder: Table, [ObjectKey], ObjectKey) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Held", columns: [ColumnDefinition(name: "number", type: .int)]),
            TableDefinition(
                name: "Holder",
                columns: Self.columns.map {
                    ColumnDefinition(
                        name: $0.name, type: $0.type, collection: $0.collection,
                        isOptional: $0.type == .mixed || $0.collection == .map,
                        linkTarget: $0.type == .link ? "Held" : nil)
                }),
        ])
        let held = try #require(try connection.table(named: "Held"))
        let holder = try #require(try connection.table(named: "Holder"))
        let nothing = [Scalar](repeating: .null, count: Self.columns.count)
        let owner = try nothing.withUnsafeBufferPointer { try holder.insert($0) }
        let keys = try (0..<Self.count).map { number in
            try [Scalar.integer(Int64(number))].withUnsafeBufferPointer { try held.insert($0) }
        }
        for (index, key) in keys.enumerated() {
            for (position, column) in Self.columns.enumerated() {
                func put(_ value: Scalar) throws {
                    switch column.collection {
                    case .list:
                        try holder.list(position, of: owner).append(value)
                        // Some objects are in the list twice.
                        if index % 10 == 0 { try holder.list(position, of: owner).append(value) }
                    case .set: _ = try holder.set(position, of: owner).insert(value)
                    default:
                        try Array("key \(index)".utf8).withUnsafeBytes {
                            try holder.map(position, of: owner).set(value, forKey: $0)
                        }
                    }
                }
                if column.type == .link {
                    try put(.integer(key.rawValue))
                } else {
                    try MixedValue.link(TypedLink(table: held.index, key: key)).withScalar(put)
                }
            }
        }
        try connection.commit()
        return (connection, held, holder, keys, owner)
    }

    /// Checks that links to the objects with these numbers remain, in order, and the right number
    /// of nulls.
    private func check(
        _ holder: Table, _ owner: ObjectKey, _ numbers: [Int], _ keys: [ObjectKey], table: Int
    ) throws {
        for (position, column) in Self.columns.enumerated() {
            var found: [ObjectKey?] = []
            func add(_ value: Scalar) -> Bool {
                switch value {
                case .integer(let key): found.append(ObjectKey(rawValue: key))
                default:
                    if case .link(let link)? = MixedValue(value) {
                        found.append(link.table == table ? link.key : nil)
                    } else {
                        found.append(nil)
                    }
                }
                return true
            }
            switch column.collection {
            case .list: try holder.list(position, of: owner).forEach(add)
            case .set: try holder.set(position, of: owner).forEach(add)
            default: try holder.map(position, of: owner).forEach { add($1) }
            }
            let links = found.compactMap { $0 }
            let left = numbers.map { keys[$0] }
            switch column.collection {
            case .list:
                let twice = numbers.flatMap { $0 % 10 == 0 ? [keys[$0], keys[$0]] : [keys[$0]] }
                #expect(links == twice, "\(column.name)")
                if column.type == .link { #expect(found.count == links.count) }
            case .set: #expect(Set(links) == Set(left) && links.count == left.count)
            default:
                #expect(Set(links) == Set(left), "\(column.name)")
                #expect(found.count == Self.count, "\(column.name)")
            }
        }
    }

    @Test func collectionsLoseWhatIsDeletedAtOnce() throws {
        let (connection, held, holder, keys, owner) = try make()
        let doomed = keys.indices.filter { $0 % 3 != 1 }
        let left = keys.indices.filter { $0 % 3 == 1 }
        try connection.beginWrite()
        try held.delete(doomed.shuffled().map { keys[$0] })
        try check(holder, owner, left, keys, table: held.index)
        try connection.commit()
        #expect(try connection.verify() == [])
        try check(holder, owner, left, keys, table: held.index)
        try connection.beginWrite()
        try held.deleteAll()
        try check(holder, owner, [], keys, table: held.index)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    /// The result is the same whether objects are deleted one by one, at once, or in reverse.
    @Test func itMakesNoDifferenceHowTheyAreDeleted() throws {
        var digests: Set<String> = []
        for way in 0..<3 {
            let (connection, held, holder, keys, owner) = try make()
            let doomed = keys.filter { $0.rawValue % 2 == 0 }
            try connection.beginWrite()
            switch way {
            case 0: try held.delete(doomed)
            case 1: for key in doomed { try held.delete(key) }
            default: for key in doomed.reversed() { try held.delete(key) }
            }
            try connection.commit()
            #expect(try connection.verify() == [])
            let left = keys.indices.filter { keys[$0].rawValue % 2 != 0 }
            try check(holder, owner, left, keys, table: held.index)
            digests.insert("\(try DatabaseDigest.of(connection))")
            connection.endRead()
            try FileManager.default.removeItem(atPath: directory.file())
        }
        #expect(digests.count == 1)
    }
}

/// Deleting objects one by one that one collection holds.
@Suite struct OneByOneDeletionTests {
    private let directory = TestDirectory()

    enum Holding: String, CaseIterable {
        case linksInAList, linksInAMap, typedLinksInAList, mixedValuesInAList, mixedValuesInAMap
        case embeddedObjectsInAList, embeddedObjectsInAMap, listsInAList, listsInAMixedValue

        var type: ValueType {
            switch self {
            case .linksInAList, .linksInAMap: .link
            case .typedLinksInAList: .typedLink
            case .embeddedObjectsInAList, .embeddedObjectsInAMap: .embedded
            default: .mixed
            }
        }

        var collection: CollectionKind {
            switch self {
            case .linksInAMap, .mixedValuesInAMap, .embeddedObjectsInAMap: .map
            case .listsInAMixedValue: .none
            default: .list
            }
        }
    }

    private struct Held {
        let connection: Connection
        let table: Table
        let holder: Table
        let owner: ObjectKey
        /// The keys in the order in which the collection holds them.
        var keys: [ObjectKey] = []
    }

    private func make(_ holding: Holding, count: Int) throws -> Held {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        let isEmbedded = holding.type == .embedded
        try connection.createTables([
            TableDefinition(
                name: "Held", columns: [ColumnDefinition(name: "number", type: .int)],
                isEmbedded: isEmbedded),
            TableDefinition(
                name: "Holder",
                columns: [
                    ColumnDefinition(
                        name: "content", type: holding.type, collection: holding.collection,
                        isOptional: holding.type == .mixed || holding.collection == .map,
                        linkTarget: holding.type == .link || isEmbedded ? "Held" : nil)
                ]),
        ])
        let table = try #require(try connection.table(named: "Held"))
        let holder = try #require(try connection.table(named: "Holder"))
        let owner = try [Scalar.null].withUnsafeBufferPointer { try holder.insert($0) }
        var held = Held(connection: connection, table: table, holder: holder, owner: owner)
        if holding == .listsInAMixedValue { try holder.setEmpty(.list, 0, of: owner) }
        for number in 0..<count { held.keys.append(try add(number, holding, held)) }
        try connection.commit()
        return held
    }

    private func add(_ number: Int, _ holding: Holding, _ held: Held) throws -> ObjectKey {
        let (holder, owner) = (held.holder, held.owner)
        let values = [Scalar.integer(Int64(number))]
        let name = Array(String(1_000_000 + number).utf8)
        switch holding {
        case .embeddedObjectsInAList:
            return try values.withUnsafeBufferPointer {
                try holder.list(0, of: owner).insertEmbedded($0, at: number)
            }
        case .embeddedObjectsInAMap:
            return try name.withUnsafeBytes { name in
                try values.withUnsafeBufferPointer {
                    try holder.map(0, of: owner).setEmbedded($0, forKey: name)
                }
            }
        default: break
        }
        let key = try values.withUnsafeBufferPointer { try held.table.insert($0) }
        let link = TypedLink(table: held.table.index, key: key)
        switch holding {
        case .linksInAList: try holder.list(0, of: owner).append(.integer(key.rawValue))
        case .typedLinksInAList: try holder.list(0, of: owner).append(link.scalar)
        case .linksInAMap:
            try name.withUnsafeBytes {
                try holder.map(0, of: owner).set(.integer(key.rawValue), forKey: $0)
            }
        case .mixedValuesInAMap:
            try MixedValue.link(link).withScalar { value in
                try name.withUnsafeBytes { try holder.map(0, of: owner).set(value, forKey: $0) }
            }
        case .mixedValuesInAList:
            try MixedValue.link(link).withScalar { try holder.list(0, of: owner).append($0) }
        default:
            // The lists have different lengths, and some of them are in trees.
            let list =
                holding == .listsInAList
                ? holder.list(0, of: owner) : try #require(try holder.nestedList(0, of: owner))
            if number % 50 < 3 || number % 50 == 49 {
                try list.insertEmpty(.list, at: list.count())
            }
            let last = try #require(try list.nestedList(at: list.count() - 1))
            try MixedValue.link(link).withScalar { try last.append($0) }
        }
        return key
    }

    private func links(_ held: Held, _ holding: Holding) throws -> [ObjectKey] {
        var found: [ObjectKey] = []
        func add(_ value: Scalar) -> Bool {
            if case .integer(let key) = value { found.append(ObjectKey(rawValue: key)) }
            if let link = TypedLink(value) { found.append(link.key) }
            if case .link(let link)? = MixedValue(value) { found.append(link.key) }
            return true
        }
        func addAll(_ list: ListHandle) throws {
            for index in 0..<(try list.count()) {
                if let inner = try list.nestedList(at: index) {
                    try addAll(inner)
                } else {
                    _ = add(try list.value(at: index))
                }
            }
        }
        switch holding.collection {
        case .map: try held.holder.map(0, of: held.owner).forEach { add($1) }
        case .list where holding.type != .mixed:
            try held.holder.list(0, of: held.owner).forEach(add)
        case .list: try addAll(held.holder.list(0, of: held.owner))
        default: try addAll(try #require(try held.holder.nestedList(0, of: held.owner)))
        }
        return found
    }

    /// The number of visited leaves does not grow with the collection.
    @Test(arguments: Holding.allCases, [false, true])
    func inOrderOrAgainstItEachIsFoundAtOnce(_ holding: Holding, isReversed: Bool) throws {
        // The collections have four leaves or more. Links have the longest leaves.
        let isDense = holding == .linksInAList || holding == .embeddedObjectsInAList
        let held = try make(holding, count: isDense ? 14_000 : 3500)
        #expect(try links(held, holding) == held.keys)
        try held.connection.beginWrite()
        let doomed = isReversed ? held.keys.reversed().prefix(1500) : held.keys.prefix(1500)
        for key in doomed { try held.table.delete(key) }
        // Each search visits one leaf. For nested lists, it is one of the outer list and one of the
        // inner. When a leaf has no more, the next leaf is visited.
        let isNested = holding == .listsInAList || holding == .listsInAMixedValue
        #expect(held.connection.lastPlaces.visitedLeaves <= (isNested ? 2 : 1) * 1500 + 100)
        #expect(
            try links(held, holding)
                == Array(isReversed ? held.keys.dropLast(1500) : held.keys.dropFirst(1500)))
        try held.connection.commit()
        #expect(try held.connection.verify() == [])
    }

    @Test(arguments: Holding.allCases)
    func inAnyOrderTheOthersStay(_ holding: Holding) throws {
        let held = try make(holding, count: 600)
        var random = RepeatableRandom(seed: 11)
        var left = held.keys
        try held.connection.beginWrite()
        for _ in 0..<6 {
            for _ in 0..<80 {
                let key = left.remove(at: Int(random.next() % UInt64(left.count)))
                try held.table.delete(key)
            }
            #expect(try links(held, holding) == left)
        }
        for key in left { try held.table.delete(key) }
        #expect(try links(held, holding) == [])
        try held.connection.commit()
        #expect(try held.connection.verify() == [])
    }

    /// A list, a list inside it, and one inside that hold the same objects, some twice.
    @Test func everyReferenceIsFound() throws {
        var held = try make(.mixedValuesInAList, count: 0)
        try held.connection.beginWrite()
        let outer = held.holder.list(0, of: held.owner)
        for number in 0..<300 {
            held.keys.append(try add(number, .mixedValuesInAList, held))
            let link = MixedValue.link(TypedLink(table: held.table.index, key: held.keys[number]))
            if number % 40 == 0 {
                try outer.insertEmpty(.list, at: outer.count())
                try outer.nestedList(at: outer.count() - 1)?.insertEmpty(.list, at: 0)
            }
            try link.withScalar { link in
                for position in stride(from: try outer.count() - 1, through: 0, by: -1) {
                    guard let inner = try outer.nestedList(at: position) else { continue }
                    try inner.append(link)
                    if number % 3 == 0 { try inner.append(link) }
                    try inner.nestedList(at: 0)?.append(link)
                    break
                }
            }
        }
        var expected = try links(held, .mixedValuesInAList)
        #expect(expected.count == 1000)
        for key in held.keys where key.rawValue % 4 != 0 {
            try held.table.delete(key)
            expected.removeAll { $0 == key }
        }
        #expect(try links(held, .mixedValuesInAList) == expected)
        try held.connection.commit()
        #expect(try held.connection.verify() == [])
    }

    /// Each object is in the one long list and in a short list of its own.
    @Test func otherHoldersDoNotMakeTheSearchLonger() throws {
        let held = try make(.typedLinksInAList, count: 3000)
        try held.connection.beginWrite()
        for key in held.keys {
            let other = try [Scalar.null].withUnsafeBufferPointer { try held.holder.insert($0) }
            for _ in 0..<10 {
                try held.holder.list(0, of: other).append(
                    TypedLink(table: held.table.index, key: key).scalar)
            }
        }
        for key in held.keys.reversed().prefix(1500) { try held.table.delete(key) }
        // Each deletion visits one leaf of the long list and one of the short list.
        #expect(held.connection.lastPlaces.visitedLeaves <= 2 * 1500 + 100)
        #expect(try links(held, .typedLinksInAList) == held.keys.dropLast(1500))
        try held.connection.commit()
        #expect(try held.connection.verify() == [])
    }
}
