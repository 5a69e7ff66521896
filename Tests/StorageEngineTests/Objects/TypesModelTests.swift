import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Random operations on values and collections of every type, compared with plain Swift values,
/// through commits, rollbacks, copies and reopening.
@Suite struct TypesModelTests {
    private let directory = TestDirectory()

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func valuesAndCollectionsBehaveLikeSwiftOnes(seed: UInt64) throws {
        let connection = try ModelCourse(
            directory: directory, seed: seed, rounds: 12, steps: 300..<500
        ).run(TypesModel())
        try connection.beginWrite()
        for number in 0...2 { try connection.table(number: number)!.deleteAll() }
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    /// Trees of several levels are filled and emptied in random order.
    @Test(arguments: TypesModel.types.filter { $0 != .bool && $0 != .link && $0 != .typedLink })
    func longSetsAndMapsStayInOrder(type: ValueType) throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Owner",
                columns: [
                    ColumnDefinition(name: "set", type: type, collection: .set),
                    ColumnDefinition(name: "map", type: type, collection: .map),
                ])
        ])
        let table = try #require(try connection.table(named: "Owner"))
        let key = try table.insert(owned: [])
        var random = SeededGenerator(seed: UInt64(type.rawValue))
        var set: [TypesModel.OrderedValue] = []
        var map: [String: OracleValue] = [:]
        for index in Array(0..<1400).shuffled(using: &random) {
            let candidate = Candidate.make(type, index, &random)
            let place = set.firstIndex { $0.order >= candidate.order } ?? set.count
            let isNew = place == set.count || set[place].order != candidate.order
            let inserted = try candidate.value.withScalar { try table.set(0, of: key).insert($0) }
            try #require(inserted == isNew)
            if isNew {
                set.insert(.init(order: candidate.order, value: candidate.value), at: place)
            }
            let name = "\(index * 7 % 5000)"
            map[name] = candidate.value
            try Array(name.utf8).withUnsafeBytes { name in
                try candidate.value.withScalar { try table.map(1, of: key).set($0, forKey: name) }
            }
        }
        try TypesModel.check(table.set(0, of: key), set)
        try TypesModel.check(table.map(1, of: key), map)
        try connection.commit()
        #expect(try connection.verify() == [])
        try connection.beginWrite()
        for element in set.shuffled(using: &random).dropLast(3) {
            #expect(try element.value.withScalar { try table.set(0, of: key).remove($0) })
            set.removeAll { $0.order == element.order }
        }
        for name in map.keys.sorted().shuffled(using: &random).dropLast(3) {
            map[name] = nil
            try Array(name.utf8).withUnsafeBytes { name in
                let removed = try table.map(1, of: key).removeValue(forKey: name)
                #expect(removed)
            }
        }
        try TypesModel.check(table.set(0, of: key), set)
        try TypesModel.check(table.map(1, of: key), map)
        try connection.commit()
        #expect(try connection.verify() == [])
    }

    @Test func setsAreComparedByTheirElements() throws {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        try connection.createTables([
            TableDefinition(
                name: "Owner",
                columns: [ColumnDefinition(name: "set", type: .int, collection: .set)])
        ])
        let table = try #require(try connection.table(named: "Owner"))
        var random = SeededGenerator(seed: 5)
        for _ in 0..<60 {
            let contents = (0..<2).map { _ in
                Set((0..<random.next(below: 60)).map { _ in Int64(random.next(below: 40)) })
            }
            let sets = try contents.map { content in
                let set = table.set(0, of: try table.insert(owned: []))
                for element in content { try set.insert(.integer(element)) }
                return set
            }
            for (i, j) in [(0, 1), (1, 0), (0, 0)] {
                #expect(try sets[i].isSubset(of: sets[j]) == contents[i].isSubset(of: contents[j]))
                #expect(
                    try sets[i].intersects(sets[j]) == !contents[i].isDisjoint(with: contents[j]))
            }
        }
        let (small, large) = (try table.insert(owned: []), try table.insert(owned: []))
        for element in stride(from: 0, to: 3000, by: 3) {
            try table.set(0, of: large).insert(.integer(Int64(element)))
            if element % 2 == 0 { try table.set(0, of: small).insert(.integer(Int64(element))) }
        }
        #expect(try table.set(0, of: small).isSubset(of: table.set(0, of: large)))
        try table.set(0, of: small).insert(.integer(1))
        #expect(try !table.set(0, of: small).isSubset(of: table.set(0, of: large)))
        #expect(try table.set(0, of: small).intersects(table.set(0, of: large)))
        connection.rollback()
    }
}
