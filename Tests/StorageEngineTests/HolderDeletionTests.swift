import Foundation
import StressModel
import Testing

@testable import StorageEngine

/// Deleting many objects at once that one collection holds.
@Suite struct HolderDeletionTests {
    private let directory = TestDirectory()
    private static let count = 1500

    /// Columns of the one holder.
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
                        // Some twice.
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

    /// Links to the objects with these numbers are left, in order, and so many nulls.
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

    /// The same whether one by one, at once, or in reverse.
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
