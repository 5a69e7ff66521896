import StressModel
import Testing
import ToolSupport

@testable import StorageEngine

/// Removing elements of lists by their positions, in rows and in trees, compared with an array.
@Suite struct ListRemovalTests {
    private let directory = TestDirectory()

    private enum Element: CaseIterable {
        case integer, link, text, mixedLink, embedded
    }

    private let columns: [ColumnDefinition] = [
        ColumnDefinition(name: "integers", type: .int, collection: .list),
        ColumnDefinition(name: "links", type: .link, collection: .list, linkTarget: "Target"),
        ColumnDefinition(name: "texts", type: .string, collection: .list),
        ColumnDefinition(name: "mixed", type: .mixed, collection: .list, isOptional: true),
        ColumnDefinition(name: "parts", type: .embedded, collection: .list, linkTarget: "Part"),
    ]

    private func open() throws -> (Connection, owners: Table, targets: Table, parts: Table) {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        let number = [ColumnDefinition(name: "number", type: .int)]
        try connection.createTables([
            TableDefinition(name: "Owner", columns: columns),
            TableDefinition(name: "Target", columns: number),
            TableDefinition(name: "Part", columns: number, isEmbedded: true),
        ])
        func table(_ name: String) throws -> Table {
            try #require(try connection.table(named: name))
        }
        return (connection, try table("Owner"), try table("Target"), try table("Part"))
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func whatIsLeftIsWhatAnArrayHas(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (connection, owners, targets, parts) = try open()
        let owner = try owners.insert([OwnedValue]())
        let keys = try (0..<40).map { try targets.insert([OwnedValue.integer(Int64($0))]) }
        var model = [[Int64]](repeating: [], count: columns.count)
        for round in 0..<60 {
            for (column, element) in Element.allCases.enumerated() {
                let list = owners.list(column, of: owner)
                // Some lists stay in their row, others get trees of several leaves.
                let most = random.next(below: 12) == 0 ? 2500 : random.next(below: 20)
                for _ in 0..<most where round % 3 < 2 {
                    let value = Int64(random.next(below: keys.count))
                    try append(value, element, to: list, keys, targets)
                    model[column].append(value)
                }
                for outside in [-1, model[column].count, .max] {
                    #expect(try !list.remove(ifAt: outside))
                    #expect(try list.value(ifAt: outside) == nil)
                }
                for _ in 0..<random.next(below: 60) where !model[column].isEmpty {
                    let count = model[column].count
                    let position = [0, count - 1, random.next(below: count)][random.next(below: 3)]
                    #expect(try list.remove(ifAt: position))
                    model[column].remove(at: position)
                }
                let read = try numbers(list, element, keys, parts)
                #expect(read == model[column], "seed \(seed), round \(round), \(element)")
            }
            for (number, key) in keys.enumerated() {
                let references = [1, 3].map { column in
                    model[column].count { $0 == Int64(number) }
                }
                #expect(try targets.backlinkCount(of: key) == references[0] + references[1])
            }
            #expect(try parts.count() == model[4].count)
            try connection.commit()
            if round % 10 == 9 { #expect(try connection.verify() == []) }
            try connection.beginWrite()
        }
    }

    private func append(
        _ value: Int64, _ element: Element, to list: ListHandle, _ keys: [ObjectKey],
        _ targets: Table
    ) throws {
        switch element {
        case .integer: try list.append(.integer(value))
        case .link: try list.append(.integer(keys[Int(value)].rawValue))
        case .text:
            var text = "\(value)" + String(repeating: " ", count: value == 7 ? 900 : 3)
            try text.withUTF8 { try list.append(.bytes(UnsafeRawBufferPointer($0))) }
        case .mixedLink:
            let link = TypedLink(table: targets.number, key: keys[Int(value)])
            try MixedValue.link(link).withScalar { scalar throws(StorageError) in
                try list.append(scalar)
            }
        case .embedded:
            _ = try [Scalar.integer(value)].withUnsafeBufferPointer {
                try list.insertEmbedded($0, at: list.count())
            }
        }
    }

    private func numbers(
        _ list: ListHandle, _ element: Element, _ keys: [ObjectKey], _ parts: Table
    ) throws -> [Int64] {
        var numbers: [Int64] = []
        try list.forEach { value throws(StorageError) in
            switch (element, value) {
            case (.integer, .integer(let number)): numbers.append(number)
            case (.link, .integer(let key)): numbers.append(key)
            case (.text, .bytes(let bytes)):
                let text = String(decoding: bytes, as: UTF8.self)
                numbers.append(Int64(text.prefix { $0 != " " }) ?? -1)
            case (.embedded, .integer(let key)):
                guard case .integer(let number) = try parts.value(0, of: ObjectKey(rawValue: key))
                else { return false }
                numbers.append(number)
            default:
                guard case .link(let link)? = MixedValue(value) else { return false }
                numbers.append(link.key.rawValue)
            }
            return true
        }
        // Keys of targets are their positions, as they were the first objects.
        return numbers
    }
}
