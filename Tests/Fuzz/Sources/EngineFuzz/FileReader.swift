@testable import StorageEngine

/// Reads a file in all ways that the engine has, within a budget: a malicious file may refer to the
/// same values thousands of times.
struct FileReader {
    private let connection: Connection
    /// Number of values that may still be read one by one.
    private var budget = 20_000
    /// Digest of what was read. It keeps the compiler from removing reads as unused.
    private(set) var digest: UInt64 = 0

    init(_ connection: Connection) { self.connection = connection }

    mutating func readEverything() throws {
        for definition in try connection.tableDefinitions() {
            guard let table = try connection.table(named: definition.name) else { continue }
            expectStorageErrors { try readObjects(table) }
            for column in table.definition.columns.indices {
                expectStorageErrors { try scan(table, column) }
            }
            expectStorageErrors { try readKeys(table) }
            for column in table.definition.columns.indices {
                guard let index = table.index(of: column) else { continue }
                expectStorageErrors { try read(index, table.definition.columns[column].type) }
            }
            expectStorageErrors { try readLeaves(table) }
        }
    }

    private mutating func take(_ scalar: Scalar) {
        budget -= 1
        switch scalar {
        case .null: digest &+= 1
        case .integer(let value): digest ^= UInt64(bitPattern: value)
        case .float(let value): digest ^= UInt64(value.bitPattern)
        case .double(let value): digest ^= value.bitPattern
        case .bytes(let bytes):
            for byte in bytes { digest = digest &* 31 &+ UInt64(byte) }
            if let mixed = MixedValue(scalar), case .decimal128(let decimal) = mixed {
                digest &+= UInt64(decimal.description.utf8.count)
            }
        case .fixed16(let first, let second):
            digest ^= first &+ second
            digest &+= UInt64(Decimal128(low: first, high: second).description.utf8.count)
        case .fixed12(let first, let second): digest ^= first &+ UInt64(second)
        }
    }

    // MARK: Objects

    private mutating func readObjects(_ table: Table) throws {
        let count = try table.count()
        let step = max(1, count / 200)
        for position in stride(from: 0, to: count, by: step) {
            guard budget > 0 else { return }
            let location = try table.location(at: position)
            let key = table.key(at: location)
            digest ^= UInt64(bitPattern: Int64(try table.position(of: key) ?? -1))
            for column in table.definition.columns.indices {
                expectStorageErrors { try read(table, column, key) }
            }
            expectStorageErrors { digest &+= UInt64(try table.backlinkCount(of: key)) }
            expectStorageErrors { digest &+= UInt64(try table.owner(of: key)?.column ?? 0) }
        }
    }

    private mutating func read(_ table: Table, _ column: Int, _ key: ObjectKey) throws {
        let definition = table.definition.columns[column]
        switch definition.collection {
        case .list: try read(table.list(column, of: key), depth: 0)
        case .map: try read(table.map(column, of: key), depth: 0)
        case .set: try read(table.set(column, of: key))
        case .none:
            let value = try table.value(column, of: key)
            take(value)
            if definition.isPrimaryKey, try table.find(primaryKey: value) == key { digest &+= 1 }
            if let list = try table.nestedList(column, of: key) { try read(list, depth: 0) }
            if let map = try table.nestedMap(column, of: key) { try read(map, depth: 0) }
        }
    }

    private mutating func read(_ list: ListHandle, depth: Int) throws {
        let count = try list.count()
        for index in [0, 1, count / 2, count - 1] where index >= 0 && index < count {
            let value = try list.value(at: index)
            take(value)
            digest ^= UInt64(try list.firstIndex(of: value) ?? 0)
            // Near the top, follows all elements. Farther down, follows only the first, as deep as
            // the engine allows.
            guard budget > 0, depth < 3 || index == 0 else { continue }
            if let nested = try list.nestedList(at: index) { try read(nested, depth: depth + 1) }
            if let nested = try list.nestedMap(at: index) { try read(nested, depth: depth + 1) }
        }
        var left = 200
        try list.forEach {
            take($0)
            left -= 1
            return left > 0
        }
    }

    private mutating func read(_ map: MapHandle, depth: Int) throws {
        let count = try map.count()
        for index in [0, 1, count / 2, count - 1] where index >= 0 && index < count {
            let (key, value) = try map.entry(at: index)
            take(value)
            take(.bytes(key))
            if try map.value(forKey: key) != nil { digest &+= 1 }
            guard budget > 0, depth < 3 || index == 0 else { continue }
            if let nested = try map.nestedList(forKey: key) { try read(nested, depth: depth + 1) }
            if let nested = try map.nestedMap(forKey: key) { try read(nested, depth: depth + 1) }
        }
        var left = 200
        try map.forEach { key, value in
            take(.bytes(key))
            take(value)
            left -= 1
            return left > 0
        }
    }

    private mutating func read(_ set: SetHandle) throws {
        let count = try set.count()
        for index in [0, count / 2, count - 1] where index >= 0 && index < count {
            let value = try set.value(at: index)
            take(value)
            if try set.contains(value) { digest &+= 1 }
        }
        if try set.isSubset(of: set) { digest &+= 1 }
        var left = 200
        try set.forEach {
            take($0)
            left -= 1
            return left > 0
        }
    }

    // MARK: Many objects at a time

    private mutating func scan(_ table: Table, _ column: Int) throws {
        let definition = table.definition.columns[column]
        guard definition.collection == .none, definition.type.isCompared else { return }
        digest &+= UInt64(try table.count(where: table.predicate(column, .isNotNull)))
        let isNull = try table.predicate(column, .isNull)
        digest &+= UInt64(try table.keys(where: isNull, limit: 10).count)
        switch definition.type.columnKind {
        case .integer: try scan(table, column, .integer(100))
        case .float: try scan(table, column, .float(1.5))
        case .double: try scan(table, column, .double(1.5))
        case .bytes:
            try withText("x") { text in
                guard case .bytes(let bytes) = text else { return }
                for test in [ColumnTest.contains(bytes), .hasPrefix(bytes), .hasSuffix(bytes)] {
                    digest &+= UInt64(try table.count(where: table.predicate(column, test)))
                }
            }
        case .fixed16:
            let test = try table.predicate(column, .compare(.notEqual, .fixed16(1, 2)))
            digest &+= UInt64(try table.count(where: test))
        case .fixed12: break
        }
        digest &+= UInt64(try table.firstKeys(5, sortedBy: column).count)
        digest &+= UInt64(try table.keys(sortedBy: column, ascending: false).count)
    }

    private mutating func scan(_ table: Table, _ column: Int, _ number: Scalar) throws {
        for comparison in Comparison.allCases {
            let test = try table.predicate(column, .compare(comparison, number))
            digest &+= UInt64(try table.count(where: test))
            digest &+= UInt64(try table.sum(column, where: test).count)
        }
        digest &+= UInt64(try table.sum(column).count)
        if let minimum = try table.minimum(column) { take(minimum) }
        if let maximum = try table.maximum(column) { take(maximum) }
        if let average = try table.average(column) { take(.double(average)) }
    }

    private mutating func readKeys(_ table: Table) throws {
        guard table.definition.columns.contains(where: \.isPrimaryKey) else { return }
        var left = 500
        try table.forEachInPrimaryKeyOrder { key in
            digest ^= UInt64(bitPattern: key.rawValue)
            left -= 1
            return left > 0
        }
        for number in 0..<20 {
            let key: Scalar = .integer(Int64(number * number))
            digest &+= UInt64(bitPattern: try table.find(primaryKey: key)?.rawValue ?? 0)
            try withText("name \(number)") {
                digest &+= UInt64(bitPattern: try table.find(primaryKey: $0)?.rawValue ?? 0)
            }
        }
    }

    private mutating func read(_ index: ColumnIndex, _ type: ValueType) throws {
        let count = try index.count()
        for position in [0, 1, count / 2, count - 1] where position >= 0 && position < count {
            expectStorageErrors {
                digest ^= UInt64(bitPattern: try index.key(at: position).rawValue)
            }
        }
        for start in [0, count / 3] {
            var left = 500
            expectStorageErrors {
                try index.forEachKey(in: start..<count) { key in
                    digest ^= UInt64(bitPattern: key.rawValue)
                    left -= 1
                    return left > 0
                }
            }
        }
        for test in [ColumnTest.isNull, .isNotNull] {
            digest &+= UInt64(try index.positions(where: test)?.count ?? 0)
        }
        withText(String(repeating: "A", count: 1000)) { text in
            let sought: Scalar =
                switch type {
                case .string: text
                case .uuid: .fixed16(1, 2)
                case .objectID: .fixed12(1, 2)
                case .date: .double(1.5)
                default: .integer(1)
                }
            for comparison in Comparison.allCases {
                expectStorageErrors {
                    let found = try index.positions(where: .compare(comparison, sought))
                    digest &+= UInt64(found?.count ?? 0)
                }
            }
        }
    }

    private mutating func readLeaves(_ table: Table) throws {
        var left = 100
        try table.forEachLeaf(from: try table.count() / 2) { leaf, _ throws(StorageError) in
            for column in table.definition.columns.indices {
                guard let (node, position) = try table.column(column, of: leaf) else { continue }
                for row in 0..<min(5, node.rowCount) {
                    take(
                        try node.scalar(
                            connection.pager, node.kind(position), in: position, at: row))
                }
            }
            left -= 1
            return left > 0
        }
    }
}
