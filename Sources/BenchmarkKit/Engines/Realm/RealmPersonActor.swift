import RealmSwift

/// An actor that observes persons with a Realm of its own.
actor RealmPersonActor {
    private var realm: Realm?
    private var observation: (any PersonObservation)?

    func start(
        _ path: String, _ durability: BenchmarkKit.Durability, _ observers: [PersonObserver]
    ) async throws {
        let realm = try await Realm(
            configuration: Realm.Configuration(
                path: path, durability, objectTypes: [KeyedPerson.self]), actor: self)
        self.realm = realm
        observation = RealmObjectPersonStore.observePersons(of: realm, on: nil, observers)
    }

    func rest() {}

    func stop() {
        observation = nil
        realm = nil
    }
}
