import Foundation
import RealmSwift
import Testing

@Suite struct ObjectKeyIdentifiableTests {
    class Dog: Object, ObjectKeyIdentifiable {
        @Persisted var name = ""
        @Persisted var tag: Tag?
    }

    class Tag: EmbeddedObject, ObjectKeyIdentifiable {
        @Persisted var text = ""
    }

    class DogProjection: Projection<Dog>, ObjectKeyIdentifiable {
        @Projected(\Dog.name) var name
    }

    private func id<Value: Identifiable>(of value: Value) -> Value.ID { value.id }

    @Test func instancesOfOneObjectHaveOneIdentity() throws {
        let realm = try temporaryRealm([Dog.self, Tag.self])
        let dogs = (0..<3).map { Dog(value: ["name": "\($0)", "tag": ["text": "t"]]) }
        #expect(Set(dogs.map(\.id)).count == 3 && dogs[0].id == dogs[0].id)
        try realm.write { realm.add(dogs) }
        #expect(dogs.map(\.id) == realm.objects(Dog.self).map { id(of: $0) })
        #expect(dogs.map(\.id) == realm.objects(DogProjection.self).map { id(of: $0) })
        let tags = dogs.compactMap(\.tag)
        #expect(Set(dogs.map(\.id) + tags.map(\.id)).count == 6)
        let first = dogs[0].id
        try realm.write { realm.delete(dogs[0]) }
        #expect(dogs[0].id == first)
    }
}
