import Foundation
import RealmSwift
import Testing
import ToolSupport

enum Grouped {
    enum Size: String, PersistableEnum { case small, middle, large }
    enum Mood: Int, PersistableEnum { case happy = 3, sad = -1, asleep = 7 }

    final class Beast: Object {
        @Persisted var breed: String
        @Persisted var nick: String?
        @Persisted var age: Int
        @Persisted var rank: Int8?
        @Persisted var weight: Double?
        @Persisted var speed: Float
        @Persisted var born: Date
        @Persisted var isTame: Bool
        @Persisted var size: Size
        @Persisted var mood: Mood?
        @Persisted var code: UUID?
        @Persisted var tag: ObjectId
        @Persisted var picture: Data?
        @Persisted var home: URL?
        @Persisted var price: Decimal128
        @Persisted var mixed: AnyRealmValue
        @Persisted var friend: Beast?
        @Persisted var friends: List<Beast>
        @Persisted var rivals: MutableSet<Beast>
        @Persisted(originProperty: "friends") var fans: LinkingObjects<Beast>

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let all: [ObjectBase.Type] = [Beast.self]
}

private typealias Beast = Grouped.Beast

/// Groups compared with a dictionary of the same objects, which are read one by one. The message of
/// a failure has the seed.
@Suite struct GroupingTests {
    private let directory = TestDirectory()

    // MARK: Data

    private func realm(pets count: Int, seed: UInt64, key: Data? = nil) throws -> Realm {
        var configuration = directory.configuration(Grouped.all)
        configuration.encryptionKey = key
        let realm = try Realm(configuration: configuration)
        try realm.write { addPets(count, seed: seed, to: realm) }
        return realm
    }

    private func addPets(_ count: Int, seed: UInt64, to realm: Realm) {
        var random = SeededGenerator(seed: seed)
        func one<Value>(of values: [Value]) -> Value { values[random.next(below: values.count)] }
        for number in 0..<count {
            let pet = Beast()
            pet.breed = one(of: ["", "dog", "dachshund", "e\u{301}lan", "\u{E9}lan", "cat"])
            pet.nick = one(of: [nil, "", "Rex", "Rexi", "a long name that no word holds"])
            pet.age = one(of: [0, 3, 3, -2, 70, number])
            pet.rank = one(of: [nil, 0, -128, 127])
            pet.weight = one(of: [nil, 0, -0.0, .nan, 1.5, .infinity, 0.1, Double(number)])
            pet.speed = one(of: [0, -0.0, .nan, 0.1, 2.5])
            pet.born = Date(timeIntervalSinceReferenceDate: Double(one(of: [0, 5, -77, number])))
            pet.isTame = one(of: [false, true])
            pet.size = one(of: Grouped.Size.allCases)
            pet.mood = one(of: [nil, .happy, .sad, .asleep])
            pet.code = one(of: [nil, UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2))])
            pet.tag = ObjectId(
                timestamp: Date(timeIntervalSince1970: Double(one(of: [1, 2, 300]))), machineId: 1,
                processId: 2)
            pet.picture = one(of: [nil, Data(), Data([1, 0]), Data([1])])
            pet.home = one(of: [nil, URL(string: "https://example.org")])
            realm.add(pet)
        }
        // Some are in a list twice.
        let pets = realm.objects(Beast.self)
        guard let first = pets.first else { return }
        for _ in 0..<30 { first.friends.append(pets[random.next(below: count)]) }
        first.rivals.insert(objectsIn: first.friends)
        pets.last?.friends.append(first)
    }

    // MARK: Tests

    @Test(arguments: [(1, 1), (2, 40), (3, 1500)] as [(UInt64, Int)])
    func groupsAreThoseOfADictionary(seed: UInt64, count: Int) throws {
        let key = seed % 2 == 0 ? Data(repeating: 7, count: 64) : nil
        let realm = try realm(pets: count, seed: seed, key: key)
        let pets = realm.objects(Beast.self)
        let comment: Comment = "seed \(seed)"
        try checkAll(pets, comment)
        try checkAll(pets.filter("age == 3 OR isTame == true"), comment)
        try checkAll(pets.where { $0.age > 1_000_000 }, comment)
        try checkAll(pets.filter("age < 5").sorted(by: \.born), comment)
        let first = try #require(pets.first)
        try checkAll(first.friends, comment)
        try checkAll(first.rivals, comment)
        try checkAll(first.friends.filter("isTame == false"), comment)
        try checkAll(first.fans, comment)
        try checkAll(pets.distinct(by: [\.breed]), comment)
        try checkAll(AnyRealmCollection(pets), comment)
        // Few objects whose keys are known are read one by one.
        let few = pets.filter("age == %@", first.age)
        _ = few.map(\.age)
        try checkAll(few, comment)
    }

    @Test func groupsShowTheOpenTransactionAndDoNotFollowChanges() throws {
        let realm = try realm(pets: 200, seed: 5)
        let pets = realm.objects(Beast.self)
        let before = pets.grouped(by: \.isTame)
        realm.beginWrite()
        realm.delete(pets.filter("isTame == false"))
        addPets(50, seed: 6, to: realm)
        try checkAll(pets, "in the transaction")
        try realm.commitWrite()
        try checkAll(pets, "after the transaction")
        #expect(before.map(\.count).reduce(0, +) == 200 && pets.count < 250)
    }

    @Test func frozenPetsAreGroupedOnAnyThread() async throws {
        let realm = try realm(pets: 300, seed: 7, key: Data(repeating: 9, count: 64))
        let pets = realm.objects(Beast.self).filter("isTame == true")
        let expected = pets.grouped(by: \.size, aggregating: \.age)
        let frozen = Carried(pets.freeze())
        try realm.write { realm.deleteAll() }
        #expect(pets.grouped(by: \.size).isEmpty)
        let groups = try await onThread {
            try checkAll(frozen.value, "frozen")
            return frozen.value.grouped(by: \.size, aggregating: \.age)
        }
        #expect(groups.map(\.key) == expected.map(\.key))
        #expect(groups.map(\.count) == expected.map(\.count))
        #expect(groups.map { $0.sum(of: \.age) } == expected.map { $0.sum(of: \.age) })
    }

    @Test func objectsWithoutClassesAreGroupedByName() throws {
        let realm = try realm(pets: 60, seed: 8)
        let typed = realm.objects(Beast.self).grouped(by: \.mood, aggregating: \.weight)
        let groups: [ObjectGroup<Int?, DynamicObject>] = realm.dynamicObjects(
            "Grouped_Beast"
        )
        .grouped(byProperty: "mood", aggregating: ["weight"])
        #expect(groups.map(\.key) == typed.map { $0.key?.rawValue })
        #expect(groups.map(\.count) == typed.map(\.count))
        for (group, other) in zip(groups, typed) {
            #expect(isSame(group.sum(ofProperty: "weight"), other.sum(ofProperty: "weight")))
        }
    }

    @Test func sumsAreExactUntilTheyAreConverted() throws {
        let realm = try temporaryRealm(Grouped.all)
        try realm.write {
            for age in [Int.max, Int.max, 5, -5] {
                let pet = realm.create(Beast.self)
                pet.age = age
                pet.isTame = age > 5
            }
        }
        let groups = realm.objects(Beast.self).grouped(by: \.isTame, aggregating: \.age, \.weight)
        #expect(groups.map { $0.sum(ofProperty: "age") as Double } == [0, 2 * Double(Int.max)])
        #expect(groups[0].sum(of: \.age) == 0 && groups[0].average(of: \.age) == 0)
        #expect(groups[0].sum(ofProperty: "weight") as Double == 0)
        #expect(groups[0].min(ofProperty: "weight") as Double? == nil)
        #expect(groups[0].average(ofProperty: "weight") as Double? == nil)
    }
}

// MARK: The oracle

/// What one group has, by reading its objects.
private struct Expected {
    var ages: [Int] = []
    var weights: [Double] = []
    var speeds: [Float] = []
    var dates: [Date] = []
}

/// The bytes of a value, of which all that are in one group have the same.
private func identity<Key>(_ key: Key) -> [UInt8] {
    let text = "\(key)"
    return Array((text.contains("-0.0") ? text.replacing("-0.0", with: "0.0") : text).utf8)
}

private func isSame(_ a: Double?, _ b: Double?) -> Bool {
    a == b || (a?.isNaN == true && b?.isNaN == true)
}

/// Whether two sums of the same numbers are equal but for the order of additions: sorted results
/// are added in the order of object keys.
private func isNear(_ a: Double?, _ b: Double?) -> Bool {
    guard let a, let b, a.isFinite, b.isFinite else { return isSame(a, b) }
    return abs(a - b) <= 1e-9 * max(1, abs(a))
}

private func check<Key: RealmCollectionValue, Pets: RealmCollection<Beast>>(
    _ pets: Pets, by keyPath: KeyPath<Beast, Key>, _ comment: Comment
) throws {
    var expected: [[UInt8]: Expected] = [:]
    for pet in pets {
        let key = identity(pet[keyPath: keyPath])
        expected[key, default: Expected()].ages.append(pet.age)
        if let weight = pet.weight { expected[key]?.weights.append(weight) }
        expected[key]?.speeds.append(pet.speed)
        expected[key]?.dates.append(pet.born)
    }
    var order: [[UInt8]] = []
    for pet in pets.sorted(byKeyPath: _name(for: keyPath)) {
        let key = identity(pet[keyPath: keyPath])
        if order.last != key { order.append(key) }
    }
    let groups = pets.grouped(by: keyPath, aggregating: \.age, \.weight, \.speed, \.born)
    try #require(groups.map { identity($0.key) } == order, comment)
    for group in groups {
        let pets = try #require(expected[identity(group.key)], comment)
        let (ages, weights) = (pets.ages, pets.weights)
        try #require(group.count == ages.count, comment)
        #expect(group.sum(of: \.age) == ages.reduce(0, +), comment)
        #expect(group.min(of: \.age) == ages.min() && group.max(of: \.age) == ages.max())
        let mean = Double(ages.reduce(0, +)) / Double(ages.count)
        #expect(group.average(ofProperty: "age") == mean, comment)
        let sum = weights.reduce(0, +)
        #expect(isNear(group.sum(of: \.weight), sum), comment)
        let average: Double? = weights.isEmpty ? nil : sum / Double(weights.count)
        #expect(isNear(group.average(ofProperty: "weight"), average), comment)
        let numbers = weights.filter { !$0.isNaN }
        #expect(group.min(ofProperty: "weight") == numbers.min(), comment)
        #expect(group.max(ofProperty: "weight") == numbers.max(), comment)
        let speeds = pets.speeds.reduce(0.0) { $0 + Double($1) }
        #expect(isNear(group.sum(ofProperty: "speed"), speeds), comment)
        #expect(group.min(of: \.born) == pets.dates.min(), comment)
        #expect(group.max(of: \.born) == pets.dates.max(), comment)
    }
}

private func checkAll(_ pets: some RealmCollection<Beast>, _ comment: Comment) throws {
    try check(pets, by: \.breed, comment)
    try check(pets, by: \.nick, comment)
    try check(pets, by: \.age, comment)
    try check(pets, by: \.rank, comment)
    try check(pets, by: \.weight, comment)
    try check(pets, by: \.speed, comment)
    try check(pets, by: \.born, comment)
    try check(pets, by: \.isTame, comment)
    try check(pets, by: \.size, comment)
    try check(pets, by: \.mood, comment)
    try check(pets, by: \.code, comment)
    try check(pets, by: \.tag, comment)
    try check(pets, by: \.picture, comment)
    try check(pets, by: \.home, comment)
}

// MARK: Mistakes

private func managedPets() throws -> Results<Beast> {
    let realm = try temporaryRealm(Grouped.all)
    try realm.write { _ = realm.create(Beast.self) }
    return realm.objects(Beast.self)
}

@Suite struct GroupingTrapTests {
    @Test func groupingByWhatHasNoGroups() async {
        let link = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let pets = try managedPets()
            let _: [ObjectGroup<String, Beast>] = pets.grouped(byProperty: "friend.breed")
        }
        expectStop(
            "Cannot group by 'friend.breed': groups are made of an object's own properties.", link)
        let decimal = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedPets().grouped(by: \.price) }
        expectStop("Cannot group by decimal128 property 'Grouped_Beast.price'.", decimal)
        let absent = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedPets().grouped(byProperty: "colour") as [ObjectGroup<String, Beast>] }
        expectStop("Property 'colour' not found in object of type 'Grouped_Beast'", absent)
    }

    @Test func keysOfAnotherTypeThanTheProperty() async {
        let type = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedPets().grouped(byProperty: "age") as [ObjectGroup<String, Beast>] }
        expectStop(
            "Keys of type 'string' are not the values of int property 'Grouped_Beast.age'.",
            type)
        let null = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedPets().grouped(byProperty: "nick") as [ObjectGroup<String, Beast>] }
        expectStop(
            "Keys of type 'string' are not the values of string? property 'Grouped_Beast.nick'.",
            null)
    }

    @Test func aggregatesOfWhatHasNone() async {
        let text = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedPets().grouped(by: \.age, aggregating: \.breed) }
        expectStop("Cannot aggregate string property 'Grouped_Beast.breed' in groups.", text)
        let unnamed = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try managedPets().grouped(by: \.age).map { $0.sum(of: \.age) } }
        expectStop(
            "The groups have no aggregates of 'Grouped_Beast.age'. Name the property in the "
                + "argument 'aggregating' of 'grouped'.", unnamed)
        let date = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try managedPets().grouped(by: \.age, aggregating: \.born)
                .map { $0.sum(ofProperty: "born") as Double }
        }
        expectStop(
            "Operation 'sum' not supported for date property 'Grouped_Beast.born'", date)
        let unmanaged = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = List<Beast>().grouped(by: \.age) }
        expectStop(
            "This method may only be called on RLMArray instances retrieved from an RLMRealm",
            unmanaged)
    }
}
