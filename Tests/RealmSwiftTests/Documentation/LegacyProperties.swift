import Foundation
import RealmSwift
import Testing

// `RealmOptional` and `RealmProperty`, which models used before `@Persisted`. "If any `@Persisted`
// exists in a class, legacy-style properties of that class are ignored."

private enum Legacy {
    class Person: Object {
        @Persisted var name = ""
        // RealmOptional properties should always be declared with `let`
        let age = RealmOptional<Int>()
        let height = RealmProperty<Int?>()
    }
}

@Suite struct LegacyPropertyRules {
    @Test func valuesAreReadAndChangedThroughTheirValueProperty() {
        let person = Legacy.Person()
        #expect(person.age.value == nil && person.height.value == nil)
        person.age.value = 28
        person.height.value = 170
        #expect(person.age.value == 28 && person.height.value == 170)
        #expect(RealmOptional<Bool>(true).value == true)
    }

    @Test func theyAreIgnoredBesidePersistedOnes() throws {
        let realm = try temporaryRealm([Legacy.Person.self])
        let person = Legacy.Person(value: ["name": "Jane"])
        person.age.value = 28
        try realm.write { realm.add(person) }
        #expect(person.objectSchema.properties.map(\.name) == ["name"])
        #expect(realm.objects(Legacy.Person.self).first?.age.value == nil)
    }
}
