// What may be passed to another thread or actor, and what may not. Not built with the tests:
// `scripts/sendable` compiles this file, and expects errors in the lines marked with `refused`, and
// in no others.

import Dispatch
import RealmSwift

final class Dog: Object {
    @Persisted var name: String
    @Persisted var friends: List<Dog>
    @Persisted var tags: MutableSet<String>
    @Persisted var ages: Map<String, Int>
}

func pass<T: Sendable>(_ value: T) {}

func references(_ dog: ThreadSafeReference<Dog>, _ dogs: ThreadSafeReference<Results<Dog>>) {
    pass(dog)
    pass(dogs)
}

func values(_ configuration: Realm.Configuration, _ error: Realm.Error, _ id: ObjectId) {
    pass(configuration)
    pass(error)
    pass(id)
    pass(Decimal128(1))
    pass(SortDescriptor(keyPath: "name"))
    pass(Realm.UpdatePolicy.all)
    pass(Realm.OpenBehavior.never)
}

func tokens(_ token: NotificationToken, _ task: Realm.AsyncOpenTask, _ shared: ThreadSafe<Dog>) {
    pass(token)
    pass(task)
    pass(shared)
}

func confined(_ realm: Realm, _ dog: Dog, _ dogs: Results<Dog>, _ any: AnyRealmCollection<Dog>) {
    pass(realm)  // refused
    pass(dog)  // refused
    pass(dogs)  // refused
    pass(any)  // refused
    pass(dog.friends)  // refused
    pass(dog.tags)  // refused
    pass(dog.ages)  // refused
}

func confined(_ owners: LinkingObjects<Dog>, _ sections: SectionedResults<String, Dog>) {
    pass(owners)  // refused
    pass(sections)  // refused
    pass(sections[0])  // refused
}

func capturing(_ realm: Realm, _ dog: Dog, _ queue: DispatchQueue) {
    queue.async { print(realm.isEmpty) }  // refused
    queue.async { print(dog.name) }  // refused
}

func capturing(_ configuration: Realm.Configuration, _ queue: DispatchQueue) {
    queue.async {
        if let realm = try? Realm(configuration: configuration) { print(realm.isEmpty) }
    }
}
