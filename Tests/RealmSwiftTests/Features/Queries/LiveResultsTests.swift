import Foundation
import StressModel
import Testing

@testable import RealmSwift

/// Tests of results that are kept during changes, against newly made results. Predicates, orders
/// and changes are random. The changes are made in open transactions, in cancelled ones, and by
/// another thread.
@Suite struct LiveResultsTests {
    /// A query whose results are kept, and a way to make new results for it.
    private struct Question {
        let text: String
        let kept: Results<Hero>
        let make: () throws -> Results<Hero>
    }

    private struct Heroes {
        var random: RepeatableRandom

        func some(_ realm: Realm, _ random: inout RepeatableRandom) -> Hero? {
            let all = realm.objects(Hero.self)
            return all.isEmpty ? nil : all[random.below(all.count)]
        }

        mutating func add(_ realm: Realm, count: Int) {
            let first = (realm.objects(Hero.self).max(ofProperty: "id") as Int? ?? -1) + 1
            for id in first..<first + count {
                let hero = realm.create(Hero.self, value: ["id": id])
                for _ in 0..<6 { set(hero, realm) }
            }
        }

        mutating func set(_ hero: Hero, _ realm: Realm) {
            let number = random.below(8)
            switch random.below(14) {
            case 0: hero.age = number
            case 1: hero.rank = number > 5 ? nil : number
            case 2: hero.height = Double(number) / 2
            case 3: hero.weight = number > 5 ? nil : Float(number)
            case 4: hero.name = String(repeating: "ab", count: number)
            case 5: hero.alias = number > 5 ? nil : "a\(number)"
            case 6: hero.isActive.toggle()
            case 7: hero.money = Decimal128(value: number)
            case 8: hero.mixed = number > 4 ? .int(number) : .string("a\(number)")
            case 9: hero.boss = number == 0 ? nil : some(realm, &random)
            case 10: if let friend = some(realm, &random) { hero.friends.append(friend) }
            case 11: hero.scores.append(objectsIn: (0..<number).map { $0 })
            case 12: hero.tags.insert("a\(number)")
            default: hero.badge = Data(count: number == 0 ? 7_000 : number)
            }
        }

        mutating func change(_ realm: Realm) {
            switch random.below(20) {
            case 0: add(realm, count: 1 + random.below(3))
            case 1, 2: if let hero = some(realm, &random) { realm.delete(hero) }
            case 3:
                let first = random.below(1_500)
                realm.delete(
                    realm.objects(Hero.self).filter("id BETWEEN {%@, %@}", first, first + 40))
            default: if let hero = some(realm, &random) { set(hero, realm) }
            }
        }
    }

    private static let seeds: UInt64 =
        ProcessInfo.processInfo.environment["REALM_LONG_TESTS"] == "1" ? 6 : 2

    private func questions(_ realm: Realm, _ seed: UInt64) throws -> [Question] {
        try (0..<30).map { index in
            var generator = PredicateGenerator(seed: seed * 1_000 + UInt64(index))
            let predicate = generator.predicate(depth: index % 3)
            let format = predicate.description
            let order = index % 5
            let make = {
                let all = try realm.objects(Hero.self)._filtered(predicate, format: format)
                return switch order {
                case 3: all.sorted(byKeyPath: "height", ascending: false)
                case 4: all.sorted(byKeyPath: "age").distinct(by: ["age", "rank"])
                default: all
                }
            }
            return Question(text: format, kept: try make(), make: make)
        }
    }

    private func check(
        _ question: Question, _ random: inout RepeatableRandom, _ comment: String
    ) throws {
        let kept = question.kept
        let expected = Array(try question.make())
        let text: Comment = "\(comment): \(question.text)"
        switch random.below(5) {
        case 0: #expect(kept.count == expected.count, text)
        case 1: #expect(kept.first?.id == expected.first?.id, text)
        case 2: #expect(kept.last?.id == expected.last?.id, text)
        case 3:
            if let hero = expected.randomElement(using: &random) {
                #expect(kept.index(of: hero) == expected.firstIndex { $0.id == hero.id }, text)
            }
        default: #expect(kept.map(\.id) == expected.map(\.id), text)
        }
    }

    @Test(arguments: 1...Self.seeds as ClosedRange<UInt64>)
    func keptResultsAreThoseMadeAnew(seed: UInt64) throws {
        let directory = TestDirectory()
        let configuration = directory.configuration(heroTypes)
        let realm = try Realm(configuration: configuration)
        var heroes = Heroes(random: RepeatableRandom(seed: seed))
        try realm.write { heroes.add(realm, count: 1_500) }
        let questions = try questions(realm, seed)
        var random = RepeatableRandom(seed: seed, part: 2)
        for round in 0..<60 {
            func ask(_ when: String) throws {
                for question in questions where random.isOne(in: 3) {
                    try check(question, &random, "seed \(seed), round \(round), \(when)")
                }
            }
            if random.isOne(in: 3) {
                let writer = heroes
                heroes = try runThread {
                    var writer = writer
                    let realm = try Realm(configuration: configuration)
                    try realm.write { writer.change(realm) }
                    return writer
                }
                realm.refresh()
            } else {
                realm.beginWrite()
                for _ in 0..<random.below(4) {
                    heroes.change(realm)
                    if random.isOne(in: 2) { try ask("writing") }
                }
                if random.isOne(in: 3) { realm.cancelWrite() } else { try realm.commitWrite() }
            }
            try ask("read")
        }
        #expect(questions.contains { $0.kept.query.askedLeaves != nil })
    }

    @Test func oneChangeAsksOneLeaf() throws {
        let realm = try temporaryRealm(heroTypes)
        try realm.write {
            // More objects match than are looked for when single positions are read.
            for id in 0..<5_000 {
                realm.create(Hero.self, value: ["id": id, "height": Double(id % 7)])
            }
        }
        let heroes = realm.objects(Hero.self)
        let low = heroes.filter("height < 2")
        let sorted = heroes.filter("height < 2").sorted(byKeyPath: "id", ascending: false)
        let counted = heroes.filter("height < 2")
        #expect(counted.count == Array(low).count)
        #expect(Array(sorted).first?.id == 4_999)
        for index in 1...3 {
            try realm.write { heroes[1_000 + index].height = 9 }
            #expect(low.last?.id == 4_999)
            #expect(low.query.askedLeaves == 1)
            #expect(Array(sorted).count == low.count)
            #expect(sorted.query.askedLeaves == 1)
            #expect(counted.count == low.count)
            // The first count does not keep the objects it found, so the second one starts over.
            #expect(index == 1 || counted.query.askedLeaves == 1)
        }
        #expect(low.explain().contains("1 leaves were read last"))
        #expect(low.query.byteCountOfKeys < 3 * low.count)
    }
}
