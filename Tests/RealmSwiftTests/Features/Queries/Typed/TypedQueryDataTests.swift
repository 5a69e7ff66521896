import Foundation
import Testing

@testable import RealmSwift

/// Tests of the objects that typed queries find, against the same condition in plain Swift.
@Suite struct TypedQueryDataTests {
    private let realms: [Realm]

    init() throws { realms = try (1...3).map { try zooRealm(seed: $0) } }

    private func check(
        _ query: (Query<ZooAnimal>) -> Query<Bool>,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ isExpected: (ZooAnimal) -> Bool
    ) throws {
        for realm in realms {
            let animals = realm.objects(ZooAnimal.self)
            let found = animals.where(query)
            let expected = Array(animals).filter(isExpected).map(\.id)
            #expect(found.map(\.id) == expected, sourceLocation: sourceLocation)
            #expect(found.count == expected.count, sourceLocation: sourceLocation)
            let first = expected.first
            #expect(
                animals.index(matching: query).map { animals[$0].id } == first,
                sourceLocation: sourceLocation)
        }
    }

    @Test func properties() throws {
        try check({ $0.age == 2 }) { $0.age == 2 }
        try check({ $0.age != 2 }) { $0.age != 2 }
        try check({ $0.age > 2 }) { $0.age > 2 }
        try check({ $0.age <= $0.all }) { $0.age <= $0.all }
        try check({ $0.weight == nil }) { $0.weight == nil }
        try check({ $0.weight != 1 }) { $0.weight != 1 }
        try check({ $0.weight > nil }) { _ in false }
        try check({ $0.nickname > nil }) { $0.nickname != nil }
        try check({ $0.nickname >= nil }) { $0.nickname != nil }
        try check({ $0.nickname < nil || $0.nickname <= nil }) { _ in false }
        try check({ $0.home.partner.city >= $0.home.partner.partner.city }) {
            guard let partner = $0.home?.partner else { return true }
            return partner.partner.map { partner.city >= $0.city } ?? false
        }
        try check({ ($0.friends.age > $0.age).count > 1 }) { animal in
            animal.friends.count { $0.age > animal.age } > 1
        }
        try check({ ($0.friends.isTame && ($0.zoos.isOpen).count > 0).count > 0 }) { animal in
            animal.zoos.contains { $0.isOpen } && animal.friends.contains { $0.isTame }
        }
        try check({ $0.weight >= 1 }) { $0.weight.map { $0 >= 1 } ?? false }
        try check({ $0.age.contains(1..<3) }) { (1..<3).contains($0.age) }
        try check({ $0.weight.contains(0.5...1) }) {
            $0.weight.map { (0.5...1).contains($0) } ?? false
        }
        try check({ $0.age.in([1, 3]) }) { [1, 3].contains($0.age) }
        try check({ $0.nickname.in(["Bo", nil]) }) { ["Bo", nil].contains($0.nickname) }
        try check({ $0.born > Date(timeIntervalSinceReferenceDate: 2) }) {
            $0.born > Date(timeIntervalSinceReferenceDate: 2)
        }
        try check({ $0.isTame && !($0.age == 1) }) { $0.isTame && $0.age != 1 }
        try check({ !$0.isTame || $0.age == 1 }) { !$0.isTame || $0.age == 1 }
        try check({ $0.mood == .wild && $0.formerMood != .wild }) {
            $0.mood == .wild && $0.formerMood != .wild
        }
        try check({ $0.mood.rawValue.starts(with: "w") }) { $0.mood == .wild }
        try check({ $0.length > Meters(2) }) { $0.length.value > 2 }
        try check({ $0.note == .int(1) }) { $0.note == .int(1) }
    }

    @Test func strings() throws {
        try check({ $0.name == "Rex" }) { $0.name == "Rex" }
        try check({ $0.name.equals("REX", options: .caseInsensitive) }) {
            $0.name.lowercased() == "rex"
        }
        try check({ $0.name.notEquals("REX", options: .caseInsensitive) }) {
            $0.name.lowercased() != "rex"
        }
        try check({ $0.name.starts(with: "Bo") }) { $0.name.hasPrefix("Bo") }
        try check({ $0.name.ends(with: "ex") }) { $0.name.hasSuffix("ex") }
        try check({ $0.name.contains("LENY", options: [.caseInsensitive, .diacriticInsensitive]) })
        { $0.name == "Lénya" }
        try check({ $0.name.like("?o*") }) { $0.name.hasPrefix("Bo") }
        try check({ $0.name.equals($0.nickname) }) { $0.name == $0.nickname }
        try check({ $0.photo.starts(with: Data([0, 1])) }) { $0.photo.count >= 2 }
    }

    @Test func links() throws {
        let zoo = try #require(realms[0].objects(Zoo.self).first)
        let animals = realms[0].objects(ZooAnimal.self)
        #expect(
            animals.where { $0.home == zoo }.map(\.id)
                == Array(animals).filter {
                    $0.home == zoo || $0.home?.isSameObject(as: zoo) == true
                }
                .map(\.id))
        try check({ $0.home == nil }) { $0.home == nil }
        try check({ $0.home.city == "Ulm" }) { $0.home?.city == "Ulm" }
        try check({ $0.home.city != "Ulm" }) { $0.home.map { $0.city != "Ulm" } ?? false }
        try check({ !($0.home.city == "Ulm") }) { $0.home?.city != "Ulm" }
        try check({ $0.home.partner.city != "Ulm" }) {
            $0.home?.partner.map { $0.city != "Ulm" } ?? false
        }
        try check({ $0.home.city.in(["Ulm", "Bonn"]) }) {
            ["Ulm", "Bonn"].contains($0.home?.city)
        }
        try check({ $0.home.city != $0.name }) { animal in
            animal.home.map { $0.city != animal.name } ?? false
        }
        try check({ $0.home.partner.city == "Ulm" }) { $0.home?.partner?.city == "Ulm" }
        try check({ $0.home.partner == nil }) { $0.home?.partner == nil }
        try check({ $0.den.depth > 2 }) { ($0.den?.depth ?? 0) > 2 }
        try check({ $0.zoos.city == "Bonn" }) { $0.zoos.contains { $0.city == "Bonn" } }
        try check({ $0.zoos.isOpen }) { $0.zoos.contains { $0.isOpen } }
        try check({ $0.zoos.count == 1 }) { $0.zoos.count == 1 }
    }

    @Test func collections() throws {
        try check({ $0.scores.contains(3) }) { $0.scores.contains(3) }
        try check({ $0.scores > 3 }) { $0.scores.contains { $0 > 3 } }
        try check({ $0.scores.containsAny(in: [0, 4]) }) {
            $0.scores.contains { [0, 4].contains($0) }
        }
        try check({ $0.scores.count >= 2 }) { $0.scores.count >= 2 }
        try check({ $0.scores.sum > 4 }) { $0.scores.sum() > 4 }
        try check({ $0.scores.max == 4 }) { $0.scores.max() == 4 }
        try check({ $0.scores.min == $0.age }) { $0.scores.min() == $0.age }
        try check({ $0.scores.contains(1...3) }) {
            $0.scores.min().map { $0 >= 1 } ?? false && $0.scores.max().map { $0 <= 3 } ?? false
        }
        try check({ $0.words.contains(nil) }) { $0.words.contains(nil) }
        try check({ $0.words == "Bo" }) { $0.words.contains("Bo") }
        try check({ $0.moods == .wild }) { $0.moods.contains(.wild) }
        try check({ $0.lengths.contains(Meters(2)) }) { $0.lengths.contains(Meters(2)) }
        try check({ $0.friends.age > 3 }) { $0.friends.contains { $0.age > 3 } }
        try check({ $0.friends.age.sum > 3 }) { $0.friends.sum(of: \.age) > 3 }
        try check({ $0.friends.count == 0 }) { $0.friends.isEmpty }
        try check({ $0.friends.home.city == "Ulm" }) {
            $0.friends.contains { $0.home?.city == "Ulm" }
        }
        try check({ $0.den.marks.contains(2) }) { $0.den?.marks.contains(2) ?? false }
    }

    @Test func maps() throws {
        try check({ $0.prices["x"] == 2 }) { $0.prices["x"] == 2 }
        try check({ $0.prices["x"] > 2 }) { ($0.prices["x"] ?? 0) > 2 }
        try check({ $0.prices.keys == "x" }) { $0.prices.keys.contains("x") }
        try check({ $0.prices.values > 3 }) { $0.prices.values.contains { $0 > 3 } }
        try check({ $0.prices.contains(3) }) { $0.prices.values.contains(3) }
        try check({ $0.prices.count == 2 }) { $0.prices.count == 2 }
        try check({ $0.prices.sum > 3 }) { $0.prices.sum() > 3 }
        try check({ $0.labels.containsAny(in: ["Rex", nil]) }) {
            $0.labels.values.contains { $0 == "Rex" || $0 == nil }
        }
    }

    @Test func subqueries() throws {
        try check({ ($0.friends.age > 2).count > 1 }) { $0.friends.count { $0.age > 2 } > 1 }
        try check({ ($0.friends.age > 2 && $0.friends.isTame).count == 1 }) {
            $0.friends.count { $0.age > 2 && $0.isTame } == 1
        }
        try check({ ($0.zoos.isOpen).count == 0 }) { !$0.zoos.contains { $0.isOpen } }
        try check({ (($0.friends.friends.age > 2).count > 0).count > 1 }) {
            $0.friends.count { $0.friends.contains { $0.age > 2 } } > 1
        }
        try check({ ($0.home.animals.age > 3).count > 2 }) {
            ($0.home?.animals.count { $0.age > 3 } ?? 0) > 2
        }
    }

    @Test func queriesOfCollectionsKeepTheirOrder() throws {
        for animal in realms[0].objects(ZooAnimal.self) {
            #expect(
                animal.friends.where { $0.isTame }.map(\.id)
                    == Array(animal.friends).filter(\.isTame).map(\.id))
        }
    }

    @Test func queriesOfMapsFindValues() throws {
        for animal in realms[0].objects(ZooAnimal.self) {
            let expected = animal.neighbours.values.compactMap(\.self).filter(\.isTame).map(\.id)
            #expect(animal.neighbours.where { $0.isTame }.map { $0?.id } == expected)
            let predicate = NSPredicate(format: "isTame == %@", true)
            #expect(animal.neighbours.filter(predicate).map { $0?.id } == expected)
        }
    }

    @Test func resultsAreLive() throws {
        let realm = realms[0]
        let old = realm.objects(ZooAnimal.self).where { $0.age >= 100 }
        #expect(old.isEmpty)
        try realm.write { realm.objects(ZooAnimal.self)[5].age = 100 }
        #expect(old.map(\.id) == [5])
    }
}
