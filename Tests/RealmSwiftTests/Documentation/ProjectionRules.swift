import Foundation
import RealmSwift
import Testing

// `Projection`: a view of an object that shows some of its properties.

private enum Projecting {
    class Address: EmbeddedObject {
        @Persisted var city: String = ""
        @Persisted var country = ""
    }

    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var address: Address?
        @Persisted var friends: List<Person>
        @Persisted var rivals: MutableSet<Person>
        @Persisted var reviews: List<String>
    }

    class PersonProjection: Projection<Person> {
        @Projected(\Person.firstName) var firstName
        @Projected(\Person.lastName.localizedUppercase) var lastNameCaps
        @Projected(\Person.address?.city) var homeCity
        @Projected(\Person.friends.projectTo.firstName) var friendNames: ProjectedCollection<String>
        @Projected(\Person.rivals.projectTo.lastName) var rivals
        @Projected(\Person.reviews) var reviews
    }

    static let types: [ObjectBase.Type] = [Address.self, Person.self]
}

@Suite struct ProjectionRules {
    private typealias Person = Projecting.Person
    private typealias PersonProjection = Projecting.PersonProjection

    let realm: Realm
    private let john: Person
    private let projection: PersonProjection

    init() throws {
        let realm = try temporaryRealm(Projecting.types)
        let john = Person(
            value: [
                "firstName": "John", "lastName": "Snow", "address": ["city": "Winterfell"],
                "friends": [["firstName": "Sam"], ["firstName": "Arya"]],
                "rivals": [["lastName": "Bolton"]], "reviews": ["good"],
            ])
        try realm.write { realm.add(john) }
        self.realm = realm
        self.john = john
        projection = PersonProjection(projecting: john)
    }

    @Test func propertiesAreThoseOfTheRootAndOfWhatItLinksTo() {
        #expect(projection.firstName == "John" && projection.lastNameCaps == "SNOW")
        #expect(projection.homeCity == "Winterfell" && Array(projection.reviews) == ["good"])
        #expect(projection.rootObject.isSameObject(as: john))
    }

    @Test func projectionsAreFetchedLikeObjects() {
        let people = realm.objects(PersonProjection.self)
        #expect(people.count == 4 && people[0].firstName == "John")
        #expect(people.map(\.firstName).sorted() == ["", "Arya", "John", "Sam"])
        #expect(people.first == projection)
    }

    @Test func theyAreLive() throws {
        try realm.write {
            john.firstName = "Jon"
            john.address?.city = "Castle Black"
        }
        #expect(projection.firstName == "Jon" && projection.homeCity == "Castle Black")
        try realm.write { john.address = nil }
        #expect(projection.homeCity == nil)
    }

    @Test func writingThroughAWritablePathWritesTheRoot() throws {
        try realm.write {
            projection.firstName = "Aegon"
            projection.reviews.append("better")
        }
        #expect(john.firstName == "Aegon" && Array(john.reviews) == ["good", "better"])
    }

    @Test func projectedCollectionsReadAndWriteTheElements() throws {
        let names = projection.friendNames
        #expect(Array(names) == ["Sam", "Arya"] && names.count == 2 && names[1] == "Arya")
        #expect(names.index(of: "Arya") == 1 && names.realm == realm)
        #expect(Array(projection.rivals) == ["Bolton"])
        try realm.write { names[0] = "Samwell" }
        #expect(john.friends[0].firstName == "Samwell" && names.first == "Samwell")
        try realm.write { john.friends.append(Person(value: ["Bran"])) }
        #expect(names.last == "Bran")
        let text = "ProjectedCollection<String> {\n\t[0] Samwell\n\t[1] Arya\n\t[2] Bran\n}"
        #expect(names.description == text)
    }

    @Test func unmanagedRootsAreProjectedToo() {
        let person = Person(value: ["firstName": "Ned", "friends": [["firstName": "Robert"]]])
        let projection = PersonProjection(projecting: person)
        #expect(projection.firstName == "Ned" && projection.homeCity == nil)
        #expect(Array(projection.friendNames) == ["Robert"] && projection.realm == nil)
        projection.firstName = "Eddard"
        #expect(person.firstName == "Eddard")
    }

    @Test func theyFollowTheirRoot() throws {
        #expect(projection.realm == realm && !projection.isInvalidated)
        try realm.write { realm.delete(john) }
        #expect(projection.isInvalidated)
    }
}

private enum BadProjection {
    class Person: Object {
        @Persisted var name = ""
        var ignored = ""
    }

    class Wrong: Projection<Person> {
        @Projected(\Person.ignored) var ignored
    }
}

private let misuses: [String: Misuse] = [
    "a path that is no property of a Realm": Misuse(
        "@Projected property 'ignored' must be a part of Realm object"
    ) {
        let realm = try temporaryRealm([BadProjection.Person.self])
        let person = try realm.write { realm.create(BadProjection.Person.self) }
        _ = BadProjection.Wrong(projecting: person)
        _ = realm.objects(BadProjection.Wrong.self).count
    },
    "writing outside of a transaction": Misuse(
        "Attempting to modify object outside of a write transaction - call "
            + "beginWriteTransaction on an RLMRealm instance first."
    ) {
        let realm = try temporaryRealm(Projecting.types)
        let person = try realm.write { realm.create(Projecting.Person.self) }
        Projecting.PersonProjection(projecting: person).firstName = "x"
    },
]

@Suite struct ProjectionMisuses {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}
