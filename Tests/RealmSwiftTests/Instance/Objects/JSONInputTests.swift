import Foundation
import RealmSwift
import Testing

private class City: Object {
    @Persisted(primaryKey: true) var cityId: Int
    @Persisted var name: String
    @Persisted var isCapital: Bool
    @Persisted var height: Double?
    @Persisted var area: Float
    @Persisted var budget: Decimal128
    @Persisted var mayor: Mayor?
    @Persisted var districts: List<District>
    @Persisted var names: Map<String, String>
    @Persisted var tags: MutableSet<String>
    @Persisted var extra: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Mayor: Object {
    @Persisted var name: String
    @Persisted var since: Int?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class District: EmbeddedObject {
    @Persisted var name: String
    @Persisted var codes: List<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Documented: objects are added from JSON "using the output of" `JSONSerialization`.
@Suite struct JSONInputTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [City.self, Mayor.self, District.self]))
    }

    private func json(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    /// The documentation's sample.
    @Test func insertsFromDataContainingJSON() throws {
        let realm = try realm()
        try realm.write {
            let json = try json(#"{"name": "San Francisco", "cityId": 123}"#)
            realm.create(City.self, value: json, update: .modified)
        }
        #expect(realm.objects(City.self).first?.name == "San Francisco")
        #expect(realm.object(ofType: City.self, forPrimaryKey: 123) != nil)
    }

    /// Documented: "nested objects or arrays … will be mapped automatically", "Realm will ignore
    /// any properties in the JSON not defined by the Object."
    @Test func nestedObjectsAndArraysBecomeRelationships() throws {
        let realm = try realm()
        let text = """
            {"cityId": 1, "name": "Paris", "isCapital": true, "height": 35, "area": 105.5,
             "budget": 10.25, "mayor": {"name": "Anne", "since": 2014, "party": "x"},
             "districts": [{"name": "Louvre", "codes": [75001]}, {"name": "Bourse"}],
             "names": {"de": "Paris", "it": "Parigi"}, "tags": ["river", "river", "tower"],
             "extra": {"twins": ["Rome", 1]}, "unknown": [1, 2]}
            """
        let city = try realm.write { realm.create(City.self, value: try json(text)) }
        #expect(city.isCapital && city.height == 35 && city.area == 105.5 && city.budget == 10.25)
        #expect(city.mayor?.name == "Anne" && city.mayor?.since == 2014)
        #expect(city.districts.map(\.name) == ["Louvre", "Bourse"])
        #expect(city.districts[0].codes.first == 75001 && city.names["it"] == "Parigi")
        #expect(city.tags.count == 2 && city.tags.contains("tower"))
        #expect(city.extra.dictionaryValue?["twins"]?.listValue?[0] == .string("Rome"))
        try realm.write {
            realm.create(
                City.self, value: try json(#"{"cityId": 1, "height": null, "extra": 5}"#),
                update: .modified)
        }
        #expect(city.height == nil && city.extra == .int(5) && city.name == "Paris")
    }

    /// Documented: "If a JSON null (i.e. NSNull) is supplied for a required property, an exception
    /// will be thrown."
    @Test func nullForARequiredPropertyStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = City(value: try JSONInputTests().json(#"{"cityId": 1, "name": null}"#)) }
        expectStop(
            "Invalid value '<null>' of type 'NSNull' for 'string' property 'City.name'.", result)
    }

    /// Documented: "Date and Data properties cannot be automatically inferred from strings".
    @Test func numbersInStringsAreNoNumbers() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = City(value: try JSONInputTests().json(#"{"cityId": "1"}"#)) }
        expectStop("Invalid value '1' of type 'String' for 'int' property 'City.cityId'.", result)
    }
}
