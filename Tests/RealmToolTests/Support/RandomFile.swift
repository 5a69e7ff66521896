import Foundation
import StorageEngine
import ToolSupport

@testable import RealmTool

/// A file with random classes and random objects.
final class RandomFile {
    let connection: Connection
    private var generator: SeededGenerator

    /// - Parameter hasKeylessClasses: whether some classes have no primary key.
    init(seed: UInt64, path: String, hasKeylessClasses: Bool = true) throws {
        generator = SeededGenerator(seed: seed)
        connection = try Connection(Database.open(path: path))
        try connection.beginWrite()
        try connection.createTables(definitions(hasKeylessClasses))
        for definition in try connection.tableDefinitions() where !definition.isEmbedded {
            try fill(definition, count: generator.next(below: 60))
        }
        for definition in try connection.tableDefinitions() where !definition.isEmbedded {
            try connect(definition)
        }
        try connection.commit()
    }

    private func chance(_ share: Int) -> Bool { generator.next(below: 100) < share }

    // MARK: Classes

    private static let scalarTypes: [ValueType] = [
        .bool, .int, .float, .double, .string, .data, .date, .uuid, .objectID, .decimal128,
    ]

    private static let keyTypes: [ValueType] = [.int, .string, .uuid, .objectID]

    private func definitions(_ hasKeylessClasses: Bool) -> [TableDefinition] {
        let embedded = TableDefinition(
            name: "Part", columns: columns(linkingTo: [], count: 3), isEmbedded: true)
        let names = (0..<1 + generator.next(below: 3)).map { "Class \($0)" }
        var tables: [TableDefinition] = []
        let keyTypes = names.map { _ -> ValueType? in
            if hasKeylessClasses, chance(30) { return nil }
            return Self.keyTypes[generator.next(below: Self.keyTypes.count)]
        }
        for (name, keyType) in zip(names, keyTypes) {
            var columns = columns(linkingTo: names + ["Part"], count: 6)
            if let keyType {
                columns.insert(
                    ColumnDefinition(
                        name: "id, \"the\" key", type: keyType, isPrimaryKey: true,
                        isIndexed: true), at: generator.next(below: columns.count + 1))
            }
            tables.append(TableDefinition(name: name, columns: columns))
        }
        return [embedded] + tables
    }

    private func columns(linkingTo names: [String], count: Int) -> [ColumnDefinition] {
        (0..<1 + generator.next(below: count)).map { index in
            let kind = ([.none, .none, .none, .list, .set, .map] as [CollectionKind])[
                generator.next(below: 6)]
            let name = "p\(index)é"
            if !names.isEmpty, chance(40) {
                let target = names[generator.next(below: names.count)]
                let type: ValueType = target == "Part" ? .embedded : .link
                return ColumnDefinition(
                    name: name, type: type,
                    collection: type == .embedded && kind == .set ? .list : kind,
                    linkTarget: target)
            }
            if chance(20) { return ColumnDefinition(name: name, type: .mixed, collection: kind) }
            let type = Self.scalarTypes[generator.next(below: Self.scalarTypes.count)]
            return ColumnDefinition(
                name: name, type: type, collection: kind, isOptional: chance(40),
                isIndexed: kind == .none && type.traits.indexKeyKind != nil && chance(30))
        }
    }

    // MARK: Objects

    private func fill(_ definition: TableDefinition, count: Int) throws {
        guard let table = try connection.table(named: definition.name) else { return }
        for _ in 0..<count {
            let owned = definition.columns.map { column in
                column.isInRow && column.type != .link ? value(column) : OwnedValue.null
            }
            do {
                _ = try owned.withScalars { try table.insert($0) }
            } catch let error as StorageError where error.code == .duplicateKey {
                continue
            }
        }
    }

    private func value(_ column: ColumnDefinition) -> OwnedValue {
        if column.isOptional, chance(30) { return .null }
        return scalar(column.type)
    }

    private func text() -> [UInt8] {
        let pieces = [
            "", "a", "\"", ",", "\n", "\r\n", ";", "漢", "\u{0}", " ", "{", "null", "1", "🐕", "\\",
            "\t",
        ]
        let length = chance(3) ? 3000 : generator.next(below: 4)
        return (0..<length).flatMap { _ in Array(pieces[generator.next(below: pieces.count)].utf8) }
    }

    private func scalar(_ type: ValueType) -> OwnedValue {
        let word = generator.next()
        switch type {
        case .bool: return .scalar(.integer(Int64(word & 1)))
        case .int: return .scalar(.integer(Int64(bitPattern: word) >> Int64(word & 63)))
        case .float:
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: word))
            return .scalar(.float(float.isNaN ? .nan : float))
        case .double, .date:
            let double = chance(50) ? Double(bitPattern: word) : Double(word >> 30) / 1000
            return .scalar(.double(double.isNaN ? .nan : double))
        case .string: return .bytes(text())
        case .data: return .bytes((0..<Int(word & 31)).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        case .uuid: return .scalar(.fixed16(word, generator.next()))
        case .objectID: return .scalar(.fixed12(word, UInt32(truncatingIfNeeded: generator.next())))
        case .decimal128:
            let number = Decimal128("\(Int32(truncatingIfNeeded: word))e\(word % 40)")!
            return .scalar(.fixed16(number.low, number.high))
        case .link, .embedded, .mixed, .typedLink: return .null
        }
    }

    // MARK: Links and collections

    /// Sets what an object gets once all objects are there.
    private func connect(_ definition: TableDefinition) throws {
        guard let table = try connection.table(named: definition.name) else { return }
        for position in 0..<(try table.count()) {
            let key = try table.key(at: position)
            try connect(key, of: table, definition)
        }
    }

    private func connect(
        _ key: ObjectKey, of table: Table, _ definition: TableDefinition
    ) throws {
        for (index, column) in definition.columns.enumerated() {
            let count = chance(5) ? 40 : generator.next(below: 4)
            switch column.collection {
            case .none:
                guard !column.isInRow || column.type == .link, chance(70) else { continue }
                if column.type == .embedded {
                    _ = try withPart { try table.createEmbedded(index, of: key, with: $0) }
                } else if column.type == .mixed, chance(40) {
                    try table.setEmpty(.map, index, of: key)
                    guard let map = try table.nestedMap(index, of: key) else { continue }
                    for _ in 0..<count { try fill(map, depth: 0) }
                } else if let value = try element(column) {
                    try value.withScalar { try table.set(index, of: key, to: $0) }
                }
            case .list:
                let list = table.list(index, of: key)
                for _ in 0..<count {
                    if column.type == .embedded {
                        _ = try withPart { try list.insertEmbedded($0, at: 0) }
                    } else if column.type == .mixed, chance(20) {
                        try list.insertEmpty(.list, at: 0)
                    } else if let value = try element(column) {
                        try value.withScalar { try list.append($0) }
                    }
                }
            case .set:
                for _ in 0..<count {
                    guard let value = try element(column) else { continue }
                    try value.withScalar { _ = try table.set(index, of: key).insert($0) }
                }
            case .map:
                let map = table.map(index, of: key)
                for _ in 0..<count {
                    try text().withUnsafeBytes { name in
                        if column.type == .embedded {
                            _ = try withPart { try map.setEmbedded($0, forKey: name) }
                        } else {
                            let value = try element(column) ?? .null
                            try value.withScalar { try map.set($0, forKey: name) }
                        }
                    }
                }
            }
        }
    }

    private func fill(_ map: MapHandle, depth: Int) throws {
        let names = ["$date", "$map", "a", "b"]
        try Array(names[generator.next(below: 4)].utf8).withUnsafeBytes { name in
            if depth < 3, chance(30) {
                try map.setEmpty(.map, forKey: name)
                guard let nested = try map.nestedMap(forKey: name) else { return }
                try fill(nested, depth: depth + 1)
            } else {
                try mixed().withScalar { try map.set($0, forKey: name) }
            }
        }
    }

    private func withPart<Result>(
        _ body: (UnsafeBufferPointer<Scalar>) throws -> Result
    ) throws -> Result {
        guard let part = try connection.table(named: "Part") else { fatalError("no class Part") }
        let values = part.definition.columns.map { $0.isInRow ? value($0) : .null }
        return try values.withScalars(body)
    }

    /// A value of a property or collection; nil where there is no object to link to.
    private func element(_ column: ColumnDefinition) throws -> OwnedValue? {
        switch column.type {
        case .link:
            guard let target = try connection.table(named: column.linkTarget ?? ""),
                case let count = try target.count(), count > 0
            else { return nil }
            return .scalar(.integer(try target.key(at: generator.next(below: count)).rawValue))
        case .mixed: return try mixed()
        case .embedded, .typedLink: return nil
        default: return value(column)
        }
    }

    private func mixed() throws -> OwnedValue {
        if chance(10) { return .null }
        if chance(20) {
            let tables = try connection.tableDefinitions().filter { !$0.isEmbedded }
            let definition = tables[generator.next(below: tables.count)]
            if let table = try connection.table(named: definition.name),
                case let count = try table.count(), count > 0
            {
                let key = try table.key(at: generator.next(below: count))
                return .mixed(.link(TypedLink(table: table.number, key: key)))
            }
        }
        let type = Self.scalarTypes[generator.next(below: Self.scalarTypes.count)]
        return .mixed(of: scalar(type), type)
    }
}

/// A value that owns its bytes.
enum OwnedValue {
    case null
    case scalar(Scalar)
    case bytes([UInt8])

    static func mixed(_ value: MixedValue) -> OwnedValue {
        value.withScalar { scalar in
            guard case .bytes(let bytes) = scalar else { return .null }
            return .bytes(Array(bytes))
        }
    }

    static func mixed(of value: OwnedValue, _ type: ValueType) -> OwnedValue {
        value.withScalar { scalar in
            MixedValue(scalar, storedAs: type).map { mixed($0) } ?? .null
        }
    }

    func withScalar<Result, Failure>(
        _ body: (Scalar) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .null: return try body(.null)
        case .scalar(let scalar): return try body(scalar)
        case .bytes(let bytes):
            let copy = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(1, bytes.count), alignment: 1)
            defer { copy.deallocate() }
            copy.copyBytes(from: bytes)
            return try body(
                .bytes(UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])))
        }
    }
}

extension [OwnedValue] {
    func withScalars<Result>(
        _ body: (UnsafeBufferPointer<Scalar>) throws -> Result
    ) rethrows -> Result {
        let memory = RecordMemory()
        let scalars = map { value -> Scalar in
            switch value {
            case .null: .null
            case .scalar(let scalar): scalar
            case .bytes(let bytes): .bytes(memory.copy(bytes))
            }
        }
        return try withExtendedLifetime(memory) {
            try scalars.withUnsafeBufferPointer { try body($0) }
        }
    }
}
