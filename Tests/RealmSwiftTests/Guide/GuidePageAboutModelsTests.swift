import Foundation
import RealmSwift
import Testing

// The guide's samples about models, unchanged.

private enum GuideModelSample {
    final class Person: Object {
        @Persisted(primaryKey: true) var id: ObjectId
        @Persisted var name: String
        @Persisted var born: Date?
        @Persisted(indexed: true) var city: String
        @Persisted var scores: List<Int>
    }

    enum Level: String, PersistableEnum {
        case junior, senior
    }

    struct Kilometres: CustomPersistable {
        typealias PersistedType = Double
        var value: Double
        init(persistedValue: Double) { value = persistedValue }
        var persistableValue: Double { value }
    }

    final class Trip: Object {
        @Persisted var level = Level.junior
        @Persisted var length: Kilometres
    }

    final class Setting: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var value: AnyRealmValue
    }

    final class Account: Object {
        @Persisted var firstName: String
        override class func propertiesMapping() -> [String: String] {
            ["firstName": "first_name"]
        }
    }
}

@Suite struct GuidePageAboutModelsTests {
    fileprivate typealias Person = GuideModelSample.Person

    @Test func models() throws {
        let realm = try temporaryRealm([
            Person.self, GuideModelSample.Trip.self, GuideModelSample.Setting.self,
            GuideModelSample.Account.self,
        ])
        let id = try realm.write {
            realm.create(GuideModelSample.Trip.self, value: ["level": "senior", "length": 4.5])
            realm.create(GuideModelSample.Setting.self, value: ["name": "size", "value": 3])
            realm.create(GuideModelSample.Account.self, value: ["firstName": "Ada"])
            return realm.create(Person.self, value: ["name": "Ada", "city": "York"]).id
        }

        let found = realm.object(ofType: Person.self, forPrimaryKey: id)

        #expect(found?.name == "Ada" && found?.born == nil)
        let trip = try #require(
            realm.objects(GuideModelSample.Trip.self).where { $0.level == .senior }.first)
        #expect(trip.length.value == 4.5)
        #expect(
            realm.object(ofType: GuideModelSample.Setting.self, forPrimaryKey: "size")?.value
                == .int(3))
        #expect(
            realm.objects(GuideModelSample.Account.self).where { $0.firstName == "Ada" }.count == 1)
        try GuideSamples(page: "models.md").expectAll()
    }
}
