// As in Crossing.swift, for what the compiler finds only in files that are right otherwise: which
// values may be sent from one actor or task to another.

import RealmSwift

final class Dog: Object {
    @Persisted var name: String
}

actor Kennel {
    var realm: Realm?

    func open() async throws {
        realm = try await Realm(actor: self)
        realm = try await Realm.open()
        guard let realm else { return }
        let dog = try await realm.asyncWrite { realm.create(Dog.self) }
        print(dog.name)
    }

    func handOut() -> Realm? { realm }
    func count() -> Int { realm?.objects(Dog.self).count ?? 0 }
    func reference() -> ThreadSafeReference<Dog>? {
        realm?.objects(Dog.self).first.map(ThreadSafeReference.init)
    }
}

func takeOut(of kennel: Kennel) async {
    print(await kennel.handOut() as Any)  // refused
    print(await kennel.count())
    print(await kennel.reference() as Any)
}

func send(_ realm: Realm) {
    Task.detached { print(realm.isEmpty) }  // refused
}

@MainActor func show() async throws {
    let realm = try await Realm()
    Task { print(realm.isEmpty) }
    Task.detached { print(realm.isEmpty) }  // refused
}
