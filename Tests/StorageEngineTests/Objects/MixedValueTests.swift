import Testing
import ToolSupport

@testable import StorageEngine

@Suite struct MixedValueTests {
    private func mixed(_ text: String) -> OracleValue {
        var text = text
        return text.withUTF8 { OracleValue(.string(UnsafeRawBufferPointer($0))) }
    }

    /// One value of each kind, in ascending order. Equal values are in one group.
    private func ascending(inSets: Bool = false) -> [[OracleValue]] {
        var groups: [[MixedValue]] = [
            [.bool(false)], [.bool(true)],
            [.double(.nan), .float(.nan), .decimal128(.nan)],
            [.double(-.infinity), .decimal128(Decimal128("-inf")!)],
            [.int(.min), .double(-0x1p63)], [.double(-2.5), .decimal128(Decimal128("-2.50")!)],
            [.int(0), .double(-0.0), .float(0), .decimal128(Decimal128("0.00")!)],
            [.double(0.1), .decimal128(Decimal128("0.1")!)],
            [.float(0.1), .double(Double(Float(0.1)))],
            [.int(1), .double(1), .float(1), .decimal128(Decimal128("1.000")!)],
            [.int(1 << 53), .double(0x1p53)], [.int(1 << 53 + 1)],
            [.int(.max)], [.double(0x1p63)], [.decimal128(Decimal128("1E+400")!)],
            [.double(.infinity), .float(.infinity)],
        ]
        groups += [
            [.date(-.infinity)], [.date(0), .date(-0.0)], [.date(1)],
            [.objectID(0, 1)], [.objectID(UInt64(1).byteSwapped, 0)],
            [.uuid(0, 1)], [.uuid(1, 0)],
            [.link(TypedLink(table: 0, key: ObjectKey(rawValue: 9)))],
            [.link(TypedLink(table: 1, key: ObjectKey(rawValue: 0)))],
            [.link(TypedLink(table: 1, key: ObjectKey(rawValue: 1)))],
        ]
        var result = groups.map { $0.map { OracleValue($0) } }
        let data = [UInt8]("ab".utf8).withUnsafeBytes { OracleValue(.data($0)) }
        let texts = [[mixed("")], [mixed("ab")], [mixed("abc")]]
        let ordered = inSets ? [texts[0], texts[1], [data], texts[2]] : texts + [[data]]
        result.insert(contentsOf: ordered, at: 16)
        return [[.null]] + result
    }

    @Test(arguments: [false, true]) func valuesOfAllTypesAreInOneOrder(inSets: Bool) {
        let order = inSets ? ValueOrder.ofSets(.mixed) : ValueOrder(type: .mixed)
        let groups = ascending(inSets: inSets)
        for (i, group) in groups.enumerated() {
            for (j, other) in groups.enumerated() {
                for a in group {
                    for b in other {
                        let result = a.withScalar { a in b.withScalar { order.compare(a, $0) } }
                        #expect(result.signum() == (i - j).signum(), "group \(i), group \(j)")
                    }
                }
            }
        }
    }

    @Test func whatIsDecodedEncodesToTheSameBytes() throws {
        for group in ascending() {
            for value in group {
                let again = try value.withScalar { OracleValue(try #require(MixedValue($0))) }
                #expect(again == value)
            }
        }
    }

    /// Untrusted bytes decode to a value or to nil, and truncated ones never to more values.
    @Test func hostileBytesAreRefusedOrRead() throws {
        var random = SeededGenerator(seed: 8)
        let types: [ValueType] = [.int, .float, .double, .string, .uuid, .objectID, .mixed]
        for round in 0..<30_000 {
            var bytes = (0..<random.next(below: 40)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            if round % 2 == 0, !bytes.isEmpty {
                bytes[0] = [1, 2, 5, 11, 13, 0x81, 0x83][random.next(below: 7)]
            }
            bytes.withUnsafeBytes { raw in
                _ = MixedValue(.bytes(raw))
                _ = NestedCollection(raw)
                _ = InlineRows.root(raw)
                for type in types {
                    for kind in [CollectionKind.list, .set, .map] {
                        let format = RowFormat(
                            collection: kind, type: type, allowsNull: round % 3 == 0)
                        _ = InlineRows.forEach(raw, format) { row, range in
                            #expect(range.upperBound <= raw.count && row.key.count <= raw.count)
                            return true
                        }
                    }
                }
            }
        }
    }
}
