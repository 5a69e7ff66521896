import Testing
import ToolSupport

@testable import StorageEngine

/// The table of types against what the engine does with columns and values of each type.
@Suite struct ValueTraitsTests {
    let directory = TestDirectory()

    /// A database with a table of one property, besides one that links can lead to.
    private func open(_ type: ValueType, _ change: (inout ColumnDefinition) -> Void) throws -> Table
    {
        let connection = try Connection(Database.open(path: directory.file()))
        try connection.beginWrite()
        var column = ColumnDefinition(name: "x", type: type)
        if type.hasFixedTarget { column.linkTarget = "Target" }
        change(&column)
        try connection.createTables([
            TableDefinition(
                name: "Target", columns: [ColumnDefinition(name: "n", type: .int)],
                isEmbedded: type == .embedded),
            TableDefinition(name: "Table", columns: [column]),
        ])
        return try #require(try connection.table(named: "Table"))
    }

    @Test(arguments: ValueType.allCases)
    func columnsOfATypeCanBeIndexedIfTheTableOfTypesSaysSo(_ type: ValueType) throws {
        let isIndexed = (try? open(type) { $0.isIndexed = true }.index(of: 0)) ?? nil != nil
        #expect(isIndexed == (type.traits.indexKeyKind != nil))
    }

    @Test(arguments: ValueType.allCases)
    func columnsOfATypeCanBePrimaryKeysIfTheTableOfTypesSaysSo(_ type: ValueType) throws {
        let isKey = (try? open(type) { $0.isPrimaryKey = true }.primaryKeyColumn) ?? nil != nil
        #expect(isKey == type.traits.mayBePrimaryKey)
    }

    @Test(arguments: ValueType.allCases)
    func theDefaultOfATypeIsOfItsColumnKind(_ type: ValueType) {
        let value = type.defaultScalar(isOptional: false)
        #expect(value.isNull ? type.mayRefer : value.isStored(as: type.columnKind))
        #expect(type.defaultScalar(isOptional: true).isNull)
    }

    /// Bytes of all lengths behind the tag, one of which every type can be decoded from.
    @Test(arguments: ValueType.allCases)
    func theTagsOfMixedValuesAreThoseOfTheTableOfTypes(_ type: ValueType) throws {
        let decoded = (0...16).compactMap { length in
            ([type.rawValue] + [UInt8](repeating: 0, count: length)).withUnsafeBytes {
                MixedValue(.bytes($0)).map { ($0.type, $0.withScalar { OracleValue($0) }) }
            }
        }
        #expect(decoded.isEmpty == !type.traits.mayBeMixed)
        for (decodedType, stored) in decoded {
            #expect(decodedType == type)
            guard case .bytes(let bytes) = stored else { throw TestFailure("not bytes") }
            #expect(bytes.first == type.rawValue)
        }
    }

    @Test(arguments: ValueType.allCases)
    func valuesOfAColumnAreMixedValuesOfTheColumnsType(_ type: ValueType) {
        let value = type.defaultScalar(isOptional: false)
        let mixed = MixedValue(value, storedAs: type)
        if value.isNull {
            #expect(mixed?.type == nil)
        } else {
            #expect(mixed?.type == type)
        }
        let kinds: [Scalar] = [
            .integer(0), .float(0), .double(0), .fixed16(0, 0), .fixed12(0, 0),
        ]
        for other in kinds where !other.isStored(as: type.columnKind) {
            #expect(MixedValue(other, storedAs: type) == nil)
            #expect(!type.accepts(other))
        }
    }

    @Test func whatIsAddedIsANumberAndNothingElse() throws {
        for type in ValueType.allCases where type != .mixed {
            let mixed = MixedValue(type.defaultScalar(isOptional: false), storedAs: type)
            #expect((type.traits.addition != .none) == (mixed?.number != nil))
            #expect((type.traits.family == .number) == (mixed?.number != nil))
        }
    }
}
