import Foundation
import RealmSwift
import Testing

// `Decimal128`, `ObjectId` and `UUID`.

private enum Identified {
    class ByObjectId: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted(indexed: true) var uuid: UUID
        @Persisted var zero = ObjectId()
    }

    class ByUUID: Object {
        @Persisted(primaryKey: true) var id: UUID
        @Persisted var amounts: List<Decimal128>
        @Persisted var ids: MutableSet<ObjectId>
        @Persisted var optional: Map<String, Decimal128?>
    }
}

@Suite struct Decimal128Rules {
    private func decimal(_ text: String) throws -> Decimal128 { try Decimal128(string: text) }

    @Test func initializers() throws {
        #expect(Decimal128() == 0 && Decimal128(value: 5) == 5)
        #expect(Decimal128(number: 1.5) == 1.5 && Decimal128(exactly: 7) == 7)
        let literals: [Decimal128] = [1, 1.5, "2.5"]
        #expect(literals.map(\.stringValue) == ["1", "1.5", "2.5"])
        #expect(throws: (any Error).self) { try Decimal128(string: "not a number") }
    }

    @Test func decimalFractionsAreExact() throws {
        #expect(try decimal("0.1") + decimal("0.2") == decimal("0.3"))
        #expect(try decimal("0.1") * decimal("0.1") == decimal("0.01"))
        #expect(try decimal("1") / decimal("8") == decimal("0.125"))
        #expect(try decimal("1") - decimal("0.9") == decimal("0.1"))
    }

    @Test func thirtyFourDigits() throws {
        let text = "1234567890123456789012345678901234"
        #expect(try decimal(text).stringValue == text)
        #expect(try decimal("1") / decimal("3") == decimal("0.3333333333333333333333333333333333"))
    }

    @Test func comparisonIsByValue() throws {
        #expect(try decimal("1.0") == decimal("1.00"))
        #expect(try decimal("-1") < decimal("0") && decimal("10") > decimal("9.99"))
        #expect(try decimal("1e3") == 1000)
        #expect(try [decimal("2"), decimal("-inf"), decimal("1")].sorted().last == 2)
        #expect(Decimal128.min < 0 && Decimal128.max > 0)
    }

    @Test func equalValuesHashEqually() throws {
        #expect(Set([try decimal("1.0"), try decimal("1.00"), 1]).count == 1)
    }

    @Test func specialValues() throws {
        #expect(try decimal("NaN").isNaN && !decimal("1").isNaN)
        #expect(try decimal("inf") > .max && decimal("-inf") < .min)
        #expect(try decimal("-5").magnitude == 5)
    }

    @Test func codedAsText() throws {
        let data = try JSONEncoder().encode([try decimal("1.50")])
        #expect(String(decoding: data, as: UTF8.self) == #"["1.50"]"#)
        let decoded = try JSONDecoder().decode(
            [Decimal128].self, from: Data(#"["1.5", 2, 2.5]"#.utf8))
        #expect(decoded == [1.5, 2, 2.5])
    }
}

@Suite struct ObjectIdRules {
    @Test func anEmptyInitializerMakesZero() throws {
        #expect(ObjectId().stringValue == String(repeating: "0", count: 24))
        let object = Identified.ByObjectId()
        #expect(object.zero == ObjectId() && object._id != ObjectId())
    }

    @Test func generatedOnesAreUniqueAndAscending() {
        let ids = (0..<1000).map { _ in ObjectId.generate() }
        #expect(Set(ids).count == 1000 && ids == ids.sorted())
    }

    @Test func textOf24Digits() throws {
        let text = "0123456789abcdef01234567"
        #expect(try ObjectId(string: text).stringValue == text)
        #expect(try ObjectId(string: text.uppercased()).stringValue == text)
        #expect(ObjectId("0123456789abcdef01234567") == (try ObjectId(string: text)))
        for bad in ["", "0123", text + "0", String(repeating: "g", count: 24)] {
            #expect(throws: (any Error).self) { try ObjectId(string: bad) }
        }
    }

    @Test func timestampsAreInSeconds() throws {
        let date = Date(timeIntervalSince1970: 1_234_567_890.75)
        let id = ObjectId(timestamp: date, machineId: 1, processId: 2)
        #expect(id.timestamp == Date(timeIntervalSince1970: 1_234_567_890))
        #expect(abs(ObjectId.generate().timestamp.timeIntervalSinceNow) < 5)
    }

    @Test func comparedByBytes() {
        #expect(ObjectId("000000000000000000000001") < ObjectId("000000000000000000000002"))
        #expect(ObjectId("0f0000000000000000000000") < ObjectId("f00000000000000000000000"))
    }

    @Test func codedAsText() throws {
        let id = ObjectId.generate()
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(id.stringValue)\"]")
        #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
    }
}

@Suite struct IdentifierPropertyRules {
    let realm: Realm

    init() throws {
        realm = try temporaryRealm([Identified.ByObjectId.self, Identified.ByUUID.self])
    }

    @Test func theyArePrimaryKeys() throws {
        let (one, two) = (Identified.ByObjectId(), Identified.ByUUID())
        try realm.write { realm.add([one, two] as [Object]) }
        #expect(realm.object(ofType: Identified.ByObjectId.self, forPrimaryKey: one._id) == one)
        #expect(realm.object(ofType: Identified.ByUUID.self, forPrimaryKey: two.id) == two)
        let absent = ObjectId.generate()
        #expect(realm.object(ofType: Identified.ByObjectId.self, forPrimaryKey: absent) == nil)
    }

    @Test func textsBecomeIdentifiers() throws {
        let object = try realm.write {
            realm.create(
                Identified.ByObjectId.self,
                value: [
                    "_id": "0123456789abcdef01234567",
                    "uuid": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
                ])
        }
        #expect(object._id.stringValue == "0123456789abcdef01234567")
        #expect(object.uuid.uuidString == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    }

    @Test func theyAreElementsOfCollections() throws {
        let id = ObjectId.generate()
        let object = try realm.write {
            realm.create(
                Identified.ByUUID.self,
                value: ["amounts": [1.5, 2], "ids": [id], "optional": ["a": NSNull(), "b": 3]])
        }
        #expect(Array(object.amounts) == [1.5, 2] && object.ids.contains(id))
        #expect(object.amounts.sum() == 3.5 && object.amounts.max() == 2)
        #expect(object.optional["b"] == 3 && object.optional.keys == ["a", "b"])
    }
}
