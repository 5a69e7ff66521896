import Foundation
import RealmSwift
import Testing

class Document: Object {
    @Persisted var name: String
    @Persisted var content: AnyRealmValue
    @Persisted var parts: List<AnyRealmValue>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Keyword: Object {
    @Persisted(primaryKey: true) var word: String
    @Persisted var content: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private let types: [ObjectBase.Type] = [Document.self, Keyword.self]

/// A value of each type except objects and collections, extremes included.
private var scalars: [AnyRealmValue] {
    [
        .none, .int(0), .int(.min), .int(.max), .bool(true), .bool(false), .float(-1.5),
        .float(.greatestFiniteMagnitude), .double(.pi), .double(-.infinity), .string(""),
        .string("naïve 🌲"), .data(Data()), .data(Data([0, 255])),
        .date(Date(timeIntervalSinceReferenceDate: 0.125)), .date(.distantPast),
        .objectId(ObjectId()),
        .objectId(ObjectId("507f1f77bcf86cd799439011")), .decimal128("-12.50"), .decimal128(.max),
        .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))),
    ]
}

@Suite struct AnyRealmValueTests {
    @Test func startsWithNone() {
        #expect(Document().content == .none && AnyRealmValue() == .none)
        #expect(Document().objectSchema["content"]?.type == .any)
        #expect(Document().objectSchema["content"]?.isOptional == false)
    }

    /// Documented: the accessors are strict and do not convert.
    @Test func accessorsDoNotConvert() {
        let value = AnyRealmValue.int(1)
        #expect(value.intValue == 1 && value.doubleValue == nil && value.boolValue == nil)
        #expect(value.floatValue == nil && value.stringValue == nil && value.dataValue == nil)
        #expect(value.dateValue == nil && value.objectIdValue == nil && value.uuidValue == nil)
        #expect(value.decimal128Value == nil && value.listValue == nil)
        #expect(value.dictionaryValue == nil && value.object(Document.self) == nil)
        #expect(AnyRealmValue.bool(true).boolValue == true)
        #expect(AnyRealmValue.float(2).floatValue == 2)
        #expect(AnyRealmValue.double(2).doubleValue == 2)
        #expect(AnyRealmValue.string("a").stringValue == "a")
        #expect(AnyRealmValue.decimal128(3).decimal128Value == 3)
        let document = Document()
        #expect(AnyRealmValue.object(document).object(Document.self) === document)
        #expect(AnyRealmValue.object(document).object(Person.self) == nil)
        #expect(AnyRealmValue.object(document).dynamicObject == nil)
    }

    @Test func equalityTellsTypesApart() {
        #expect(AnyRealmValue.int(1) != .double(1) && AnyRealmValue.int(1) == .int(1))
        #expect(AnyRealmValue.fromArray([.int(1)]) == .fromArray([.int(1)]))
        #expect(AnyRealmValue.fromArray([.int(1)]) != .fromArray([.int(2)]))
        #expect(AnyRealmValue.fromDictionary(["a": .none]) == .fromDictionary(["a": .none]))
        for value in scalars { #expect(Set([value, value]).count == 1) }
    }

    @Test func everyTypeSurvivesReopening() throws {
        let directory = TestDirectory()
        do {
            let realm = try directory.realm(types)
            try realm.write {
                for value in scalars {
                    let document = Document()
                    document.content = value
                    document.parts.append(objectsIn: scalars)
                    #expect(document.content == value)
                    realm.add(document)
                    #expect(document.content == value)
                }
            }
        }
        let realm = try directory.realm(types)
        #expect(realm.objects(Document.self).map(\.content) == scalars)
        for document in realm.objects(Document.self) {
            #expect(Array(document.parts) == scalars)
            for (position, value) in scalars.enumerated() {
                #expect(document.parts.index(of: value) == position)
            }
        }
        let document = try #require(realm.objects(Document.self).first)
        for value in scalars {
            try realm.write { document.content = value }
            #expect(document.content == value)
        }
    }

    @Test func valuesAreGivenAsTheyAre() {
        let date = Date()
        let given: [(Any, AnyRealmValue)] = [
            (1, .int(1)), (Int8(5), .int(5)), (true, .bool(true)), (1.5, .double(1.5)),
            (Float(1.5), .float(1.5)), ("a", .string("a")), (NSNull(), .none), (date, .date(date)),
            (NSNumber(value: 3), .int(3)), (NSNumber(value: true), .bool(true)),
            (NSNumber(value: 0.5), .double(0.5)), (Data([1]), .data(Data([1]))),
            (Decimal128(2), .decimal128(2)), (AnyRealmValue.int(4), .int(4)),
            ([1, "a"] as [Any], .fromArray([.int(1), .string("a")])),
            (["a": NSNull()] as [String: Any], .fromDictionary(["a": .none])),
        ]
        for (value, expected) in given {
            #expect(Document(value: ["content": value]).content == expected)
        }
        let document = Document()
        document["content"] = "x"
        #expect(document.content == .string("x") && document["content"] as? String == "x")
        document["content"] = nil
        #expect(document.content == .none && document["content"] == nil)
    }

    /// A property may hold the output of `JSONSerialization` for any document.
    @Test func takesTheOutputOfJSONSerialization() throws {
        let text = #"{"a": 1, "b": [true, null, 1.5, {"c": "d"}], "e": {}}"#
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let expected = AnyRealmValue.fromDictionary([
            "a": .int(1),
            "b": .fromArray([
                .bool(true), .none, .double(1.5), .fromDictionary(["c": .string("d")]),
            ]), "e": .fromDictionary([:]),
        ])
        let document = Document(value: ["content": json])
        #expect(document.content == expected)
        let realm = try TestDirectory.untilExit().realm(types)
        try realm.write { realm.add(document) }
        #expect(
            document.content.dictionaryValue?["b"]?.listValue?[3].dictionaryValue?["c"]
                == .string("d"))
        #expect(document.content.dictionaryValue?["e"]?.dictionaryValue?.count == 0)
    }

    @Test func valuesThatCannotBeStoredStop() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Document(value: ["content": 1...2]) }
        expectStop(
            "Invalid value '1...2' of type 'ClosedRange<Int>' for 'mixed' property "
                + "'Document.content'.", result)
    }
}

@Suite struct AnyRealmValueObjectTests {
    @Test func linksToObjectsOfAnyClass() throws {
        let realm = try TestDirectory.untilExit().realm(types)
        let keyword = Keyword(value: ["word": "a"])
        let document = Document()
        document.content = .object(keyword)
        document.parts.append(.object(document))
        try realm.write { realm.add(document) }
        #expect(keyword.realm == realm && document.content.object(Keyword.self) == keyword)
        #expect(document.parts[0].object(Document.self)?.isSameObject(as: document) == true)
        #expect(document.content.dynamicObject?["word"] as? String == "a")
        #expect(document.parts.index(of: .object(keyword)) == nil)
        #expect(document.parts.index(of: .object(document)) == 0)
    }

    @Test func deletedObjectsLeaveNone() throws {
        let realm = try TestDirectory.untilExit().realm(types)
        let keyword = Keyword(value: ["word": "a"])
        try realm.write {
            let document = realm.create(Document.self)
            document.content = .object(keyword)
            document.parts.append(objectsIn: [.object(keyword), .int(1)])
        }
        let document = try #require(realm.objects(Document.self).first)
        #expect(document.content.object(Keyword.self) == keyword)
        try realm.write { realm.delete(keyword) }
        #expect(document.content == .none)
        #expect(Array(document.parts) == [.int(1)] || Array(document.parts) == [.none, .int(1)])
    }

    @Test func cyclesAreAdded() throws {
        let realm = try TestDirectory.untilExit().realm(types)
        let (a, b) = (Keyword(value: ["word": "a"]), Keyword(value: ["word": "b"]))
        a.content = .object(b)
        b.content = .fromArray([.object(a), .fromDictionary(["b": .object(b)])])
        try realm.write { realm.add(a) }
        #expect(realm.objects(Keyword.self).count == 2)
        #expect(a.content.object(Keyword.self) == b)
        #expect(b.content.listValue?[0].object(Keyword.self) == a)
        #expect(b.content.listValue?[1].dictionaryValue?["b"]?.object(Keyword.self) == b)
    }

    @Test func updatesFollowTheKeysOfLinkedObjects() throws {
        let realm = try TestDirectory.untilExit().realm(types)
        try realm.write {
            realm.create(Keyword.self, value: ["word": "a", "content": 1])
            let next = Keyword(value: ["word": "a", "content": 2])
            let other = Keyword(value: ["word": "b"])
            other.content = .object(next)
            realm.add(other, update: .modified)
        }
        #expect(realm.objects(Keyword.self).count == 2)
        #expect(realm.object(ofType: Keyword.self, forPrimaryKey: "a")?.content == .int(2))
        try realm.write {
            realm.create(Keyword.self, value: ["word": "a"], update: .modified)
        }
        #expect(realm.object(ofType: Keyword.self, forPrimaryKey: "a")?.content == .int(2))
        try realm.write {
            realm.create(
                Keyword.self, value: ["word": "a", "content": NSNull()] as [String: Any],
                update: .modified)
        }
        let updated = try #require(realm.object(ofType: Keyword.self, forPrimaryKey: "a"))
        #expect(updated.content == .none)
    }

    @Test func objectsOfAnotherRealmStop() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            func realm(_ name: String) throws -> Realm {
                try Realm(
                    configuration: .init(inMemoryIdentifier: name, objectTypes: types))
            }
            let (first, second) = (try realm("first"), try realm("second"))
            let keyword = Keyword()
            try first.write { first.add(keyword) }
            try second.write { second.create(Document.self).content = .object(keyword) }
        }
        expectStop(
            "Object is already managed by another Realm. Use create instead to copy it into this "
                + "Realm.", result)
    }
}
