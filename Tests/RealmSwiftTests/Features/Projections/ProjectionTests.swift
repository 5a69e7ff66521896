import Foundation
import RealmSwift
import Testing

enum ProjectionModels {
    class Address: EmbeddedObject {
        @Persisted var city: String
        @Persisted var country = ""
    }

    class Person: Object {
        @Persisted var firstName: String
        @Persisted var lastName = ""
        @Persisted var birthday = Date(timeIntervalSinceReferenceDate: 0)
        @Persisted var address: Address?
        @Persisted var friends: List<Person>
        @Persisted var reviews: List<String>

        var fullName: String { "\(firstName) \(lastName)" }
        var note = ""
    }

    static let all: [ObjectBase.Type] = [Person.self, Address.self]
}

private typealias Subject = ProjectionModels.Person

private class PersonProjection: Projection<ProjectionModels.Person> {
    @Projected(\ProjectionModels.Person.firstName) var name
    @Projected(\ProjectionModels.Person.lastName.localizedUppercase) var lastNameCaps
    @Projected(\ProjectionModels.Person.birthday.timeIntervalSinceReferenceDate) var birthday
    @Projected(\ProjectionModels.Person.address?.city) var homeCity
    @Projected(\ProjectionModels.Person.friends.projectTo.firstName)
    var friendsNames: ProjectedCollection<String>
    @Projected(\ProjectionModels.Person.reviews) var reviews
}

private class ComputedProjection: Projection<ProjectionModels.Person> {
    @Projected(\ProjectionModels.Person.fullName) var fullName
}

private class StoredProjection: Projection<ProjectionModels.Person> {
    @Projected(\ProjectionModels.Person.note) var note
}

@Suite struct ProjectionTests {
    let directory = TestDirectory()

    private func openRealm() throws -> Realm {
        let realm = try directory.realm(ProjectionModels.all)
        let john = Subject(
            value: ["firstName": "John", "lastName": "Snow", "address": ["city": "Winterfell"]])
        let daenerys = Subject(value: ["firstName": "Daenerys", "friends": [john]])
        john.friends.append(daenerys)
        john.reviews.append("good")
        try realm.write { realm.add(john) }
        return realm
    }

    @Test func resultsGiveProjections() throws {
        let realm = try openRealm()
        let people = realm.objects(PersonProjection.self)
        #expect(people.count == 2 && Set(people.map(\.name)) == ["John", "Daenerys"])
        let john = people[0]
        #expect(john.name == "John" && john.lastNameCaps == "SNOW" && john.birthday == 0)
        #expect(john.homeCity == "Winterfell" && people[1].homeCity == nil)
        #expect(Array(john.friendsNames) == ["Daenerys"] && Array(john.reviews) == ["good"])
        #expect(people.first == john && people.index(of: people[1]) == 1)
        #expect(people.last?.name == "Daenerys")
    }

    @Test func equalIfTheyProjectTheSameObject() throws {
        let realm = try openRealm()
        let people = realm.objects(PersonProjection.self)
        #expect(people[0] == people[0] && people[0] != people[1])
        #expect(people[0].hashValue == people[0].hashValue)
        #expect(Set([people[0], people[0], people[1]]).count == 2)
        try realm.write { realm.delete(people[0].rootObject) }
        #expect(people.count == 1)
    }

    @Test func describesPathsAndValues() throws {
        let projection = try #require(try openRealm().objects(PersonProjection.self).first)
        let lines = projection.description.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("PersonProjection<Person> <0x"))
        #expect(lines[1] == "\tname(\\.firstName) = John;")
        #expect(lines.contains("\thomeCity(\\.address.city) = Winterfell;"))
        let kind = "ProjectedCollection<String>"
        #expect(lines.contains("\tfriendsNames(\\.friends.firstName) = \(kind) {"))
        #expect(projection.friendsNames.description == "\(kind) {\n\t[0] Daenerys\n}")
    }

    @Test func projectedCollectionsAreLive() throws {
        let realm = try openRealm()
        let john = try #require(realm.objects(Subject.self).first)
        let names = john.friends.projectTo.firstName
        #expect(names.count == 1 && names.first == "Daenerys" && names.index(of: "Sam") == nil)
        try realm.write { john.friends.append(Subject(value: ["firstName": "Sam"])) }
        #expect(names.count == 2 && names[1] == "Sam" && names.index(of: "Sam") == 1)
        #expect(names.realm == realm && !names.isInvalidated)
        try realm.write { realm.delete(john) }
        #expect(names.isInvalidated)
    }

    @Test func pathsMustBePersisted() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = StoredProjection(projecting: ProjectionModels.Person()) }
        expectStop("@Projected property 'note' must be a part of Realm object", result)
    }

    @Test func computedPropertiesShowWhatTheyReadFromTheObject() throws {
        let person = ProjectionModels.Person()
        (person.firstName, person.lastName) = ("Arya", "Stark")
        let projection = ComputedProjection(projecting: person)
        #expect(projection.fullName == "Arya Stark")
        person.lastName = "Snow"
        #expect(projection.fullName == "Arya Snow")
        #expect(projection.description.contains("fullName(\\.firstName, \\.lastName)"))
    }
}
