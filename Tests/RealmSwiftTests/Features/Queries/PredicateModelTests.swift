import Foundation
import StressModel
import Testing

@testable import RealmSwift

/// Tests of random predicates, as text, over random objects, against a model. The message of a
/// failure has the seed. `PREDICATE_SEED` repeats one case, and `PREDICATE_CASES` sets the number
/// of cases.
@Suite struct PredicateModelTests {
    private static let collections: Set<String> = [
        "friends", "rivals", "allies", "staff", "fans", "scores", "tags", "traits", "things",
        "places",
    ]
    private static let casesOfOneWorld: UInt64 = 100

    @Test func predicatesFindWhatTheyMean() throws {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["PREDICATE_SEED"].flatMap(UInt64.init) {
            try World(seed: seed / Self.casesOfOneWorld * Self.casesOfOneWorld).check(seed)
            return
        }
        let count = environment["PREDICATE_CASES"].flatMap(UInt64.init) ?? 3_000
        var found = 0
        for first in stride(from: 0, to: count, by: Int(Self.casesOfOneWorld)) {
            let world = try World(seed: first)
            for seed in first..<first + Self.casesOfOneWorld {
                found += try world.check(seed)
            }
        }
        // With fewer matches the predicates would be too narrow to prove anything.
        #expect(found > Int(count))
    }

    /// Objects in a Realm, and their models.
    private final class World {
        let realm: Realm
        var heroes: [(hero: Hero, model: ModelObject)] = []
        let evaluation = ModelEvaluation(collections: PredicateModelTests.collections)
        private var random: RepeatableRandom

        init(seed: UInt64) throws {
            realm = try temporaryRealm(heroTypes)
            random = RepeatableRandom(seed: seed)
            try realm.write {
                // In the larger worlds, indexes and backlinks narrow a query enough to be used.
                let count = seed % 1_000 == 0 ? 200 : 20 + random.below(30)
                for id in 0..<count { add(id: id) }
                for index in heroes.indices { link(index) }
            }
            countReferrers()
        }

        @discardableResult
        func check(_ seed: UInt64) throws -> Int {
            var generator = PredicateGenerator(seed: seed)
            let predicate = generator.predicate(depth: Int(seed % 4))
            let format = predicate.description
            let parsed = try PredicateParser.parse(format)
            #expect(parsed.description == format)
            let expected = heroes.filter { evaluation.isTrue(predicate, $0.model) }.map(\.hero.id)
            let results = try realm.objects(Hero.self)._filtered(parsed, format: format)
            let found = Array(results.map(\.id))
            #expect(found == expected, "PREDICATE_SEED=\(seed): \(format)")
            #expect(results.count == expected.count)
            // Evaluates objects one by one, as a filter of a list does.
            let everyOther = realm.objects(Hero.self).filter("age > 2")
            let part = try everyOther._filtered(parsed, format: format)
            let expectedPart = heroes.filter { expected.contains($0.hero.id) && $0.hero.age > 2 }
            #expect(Array(part.map(\.id)) == expectedPart.map(\.hero.id), "\(seed): \(format)")
            // Evaluates objects as unmanaged collections do.
            let unmanaged = UnmanagedEvaluation(format: format)
            let matching = try heroes.filter { try unmanaged.isTrue(parsed, of: $0.hero) }
            #expect(matching.map(\.hero.id) == expected, "PREDICATE_SEED=\(seed): \(format)")
            try checkPlaces(predicate, seed)
            return found.count
        }

        /// Checks the predicate with placeholders instead of constants, for these constants and for
        /// others. The cached text must find what the predicate means.
        private func checkPlaces(_ predicate: PredicateSyntax, _ seed: UInt64) throws {
            let format = predicate.mapConstants { _ in Place() }.description
            var random = RepeatableRandom(seed: seed, part: 2)
            for round in 0..<3 {
                var arguments: [Any] = []
                let other = predicate.mapConstants { value in
                    let argument = round == 0 ? value : Self.another(value, &random)
                    arguments.append(argument)
                    return argument
                }
                let source = realm.objects(Hero.self)._querySource
                let expected = heroes.filter { evaluation.isTrue(other, $0.model) }
                let found = try Results<Hero>(query: source.filtered(format, arguments))
                #expect(
                    Array(found.map(\.id)) == expected.map(\.hero.id),
                    "PREDICATE_SEED=\(seed), round \(round): \(other)")
            }
        }

        /// Returns another value of the same type.
        private static func another(_ value: Any, _ random: inout RepeatableRandom) -> Any {
            switch value {
            case let flag as Bool: random.isOne(in: 2) ? flag : !flag
            case is Int: random.below(6)
            case is Double: Double(random.below(20)) / 4
            case is String: PredicateGenerator.text(&random)
            default: value
            }
        }

        // MARK: Making

        private func add(id: Int) {
            let model = ModelObject()
            let hero = realm.create(Hero.self, value: ["id": id])
            func set(_ name: String, _ value: Any?) {
                hero[name] = value
                model.values[name] = ModelValue(literal: value)
            }
            func maybe(_ value: Any) -> Any? { random.isOne(in: 3) ? nil : value }
            set("age", random.below(6))
            set("rank", maybe(random.below(6)))
            set("height", Double(random.below(20)) / 4)
            set("weight", maybe(Double(random.below(20)) / 4))
            set("name", PredicateGenerator.text(&random))
            set("alias", maybe(PredicateGenerator.text(&random)))
            set("isActive", random.isOne(in: 2))
            set("isFamous", maybe(random.isOne(in: 2)))
            let money = Double(random.below(20)) / 4
            hero.money = Decimal128(value: money)
            model.values["money"] = .number(money)
            (hero.mixed, model.values["mixed"]) = mixed()
            fillCollections(hero, model)
            if !random.isOne(in: 3) { (hero.home, model.values["home"]) = lair() }
            var lairs: [ModelValue] = []
            for _ in 0..<random.below(3) {
                let (lair, model) = lair()
                hero.places.append(lair)
                lairs.append(model)
            }
            model.values["places"] = .many(lairs)
            heroes.append((hero, model))
        }

        private func fillCollections(_ hero: Hero, _ model: ModelObject) {
            let scores = (0..<random.below(4)).map { _ in random.below(6) }
            hero.scores.append(objectsIn: scores)
            model.values["scores"] = .many(scores.map { ModelValue(literal: $0) })
            let tags = Set((0..<random.below(3)).map { _ in PredicateGenerator.text(&random) })
            hero.tags.insert(objectsIn: tags)
            model.values["tags"] = .many(tags.map { .string($0) })
            var traits: [String: ModelValue] = [:]
            for key in ["a", "b", "c"] where random.isOne(in: 2) {
                let value = random.isOne(in: 3) ? nil : random.below(6)
                hero.traits[key] = .some(value)
                traits[key] = ModelValue(literal: value)
            }
            model.values["traits"] = .map(traits)
            var things: [ModelValue] = []
            for _ in 0..<random.below(3) {
                let (value, model) = mixed()
                hero.things.append(value)
                things.append(model)
            }
            model.values["things"] = .many(things)
        }

        private func mixed() -> (AnyRealmValue, ModelValue) {
            switch random.below(5) {
            case 0: return (.none, .null)
            case 1:
                let value = random.below(4)
                return (.int(value), .number(Double(value)))
            case 2:
                let value = Double(random.below(8)) / 2
                return (.double(value), .number(value))
            case 3:
                let value = PredicateGenerator.text(&random)
                return (.string(value), .string(value))
            default:
                let value = random.isOne(in: 2)
                return (.bool(value), .bool(value))
            }
        }

        private func lair() -> (Lair, ModelValue) {
            let lair = Lair()
            lair.city = PredicateGenerator.text(&random)
            lair.size = random.isOne(in: 3) ? nil : random.below(6)
            let model = ModelObject()
            model.values = [
                "city": .string(lair.city), "size": ModelValue(literal: lair.size),
            ]
            return (lair, .object(model))
        }

        private func link(_ index: Int) {
            let (hero, model) = heroes[index]
            if !random.isOne(in: 3) {
                let boss = heroes[random.below(heroes.count)]
                hero.boss = boss.hero
                model.values["boss"] = .object(boss.model)
            }
            let friends = (0..<random.below(4)).map { _ in heroes[random.below(heroes.count)] }
            hero.friends.append(objectsIn: friends.map(\.hero))
            model.values["friends"] = .many(friends.map { .object($0.model) })
            var rivals: [ModelValue] = []
            for _ in 0..<random.below(3) {
                let rival = heroes[random.below(heroes.count)]
                if hero.rivals.contains(rival.hero) { continue }
                hero.rivals.insert(rival.hero)
                rivals.append(.object(rival.model))
            }
            model.values["rivals"] = .many(rivals)
            var allies: [String: ModelValue] = [:]
            for key in ["a", "b"] where random.isOne(in: 2) {
                let ally = heroes[random.below(heroes.count)]
                let isNull = random.isOne(in: 4)
                hero.allies[key] = .some(isNull ? nil : ally.hero)
                allies[key] = isNull ? .null : .object(ally.model)
            }
            model.values["allies"] = .map(allies)
        }

        private func countReferrers() {
            for (_, model) in heroes {
                func referrers(_ name: String) -> [ModelValue] {
                    heroes.flatMap { origin in
                        (origin.model.values[name] ?? .null).elements.compactMap {
                            if case .object(let target) = $0, target === model {
                                .object(origin.model)
                            } else {
                                nil
                            }
                        }
                    }
                }
                model.values["staff"] = .many(referrers("boss"))
                model.values["fans"] = .many(referrers("friends"))
            }
        }
    }
}

/// The description of a constant in a text with placeholders.
private struct Place: CustomStringConvertible {
    var description: String { "%@" }
}

extension PredicateSyntax {
    /// Returns the predicate with other constants, visited in the order in which they are written.
    /// Null is kept.
    fileprivate func mapConstants(_ transform: (Any) -> Any) -> PredicateSyntax {
        switch self {
        case .constant: return self
        case .not(let operand): return .not(operand.mapConstants(transform))
        case .and(let operands): return .and(operands.map { $0.mapConstants(transform) })
        case .or(let operands): return .or(operands.map { $0.mapConstants(transform) })
        case .comparison(var comparison):
            comparison.left = comparison.left.mapConstants(transform)
            comparison.right = comparison.right.mapConstants(transform)
            return .comparison(comparison)
        }
    }
}

extension OperandSyntax {
    fileprivate func mapConstants(_ transform: (Any) -> Any) -> OperandSyntax {
        switch self {
        case .keyPath: return self
        case .value(let value): return .value(value.map(transform))
        case .list(let values): return .list(values.map { $0.map(transform) })
        case .subquery(var subquery):
            subquery.predicate = subquery.predicate.mapConstants(transform)
            return .subquery(subquery)
        }
    }
}
