import Foundation
import Testing

@testable import RealmSwift

/// Tests of the objects that translated `#Predicate`s find, against Foundation's evaluation of each
/// object.
@Suite struct SwiftPredicateDataTests {
    private func check(
        _ predicate: Predicate<ZooAnimal>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let animals = try zooRealm(seed: seed).objects(ZooAnimal.self)
            let found = try animals.filter(predicate)
            let expected = try Array(animals).filter { try predicate.evaluate($0) }.map(\.id)
            #expect(found.map(\.id) == expected, sourceLocation: sourceLocation)
            let first = expected.first
            #expect(
                try animals.index(matching: predicate).map { animals[$0].id } == first,
                sourceLocation: sourceLocation)
        }
    }

    @Test func comparisons() throws {
        let wild = Mood.wild
        let former: Mood? = .wild
        try check(#Predicate { $0.age > 2 })
        try check(#Predicate { 2 <= $0.age })
        try check(#Predicate { $0.age < $0.all })
        try check(#Predicate { $0.name != "Rex" })
        try check(#Predicate { $0.weight == nil })
        try check(#Predicate { $0.weight != nil && $0.weight! >= 1 })
        try check(#Predicate { $0.weight != 1 })
        try check(#Predicate { $0.mood == wild })
        try check(#Predicate { $0.formerMood != former })
        try check(#Predicate { $0.isTame ? $0.age == 1 : $0.age == 2 })
        try check(#Predicate { !$0.isTame || $0.age == 3 })
        try check(#Predicate { (1..<3).contains($0.age) && [1, 3].contains($0.all) })
        try check(#Predicate { $0.name.isEmpty || $0.name.contains("e") })
    }

    @Test func optionals() throws {
        try check(#Predicate { $0.home?.city == "Ulm" })
        try check(#Predicate { $0.home?.city != "Ulm" })
        try check(#Predicate { $0.home?.partner?.city == nil })
        try check(#Predicate { $0.home?.partner?.city != "Bonn" })
        try check(#Predicate { $0.home?.partner?.city == $0.nickname })
        try check(#Predicate { $0.nickname != $0.home?.partner?.city })
        try check(#Predicate { $0.home?.partner?.isOpen == $0.home?.isOpen })
        try check(#Predicate { $0.home?.partner?.city != $0.home?.city })
        try check(#Predicate { $0.home == nil })
        try check(#Predicate { $0.home?.isOpen ?? true })
        try check(#Predicate { ($0.weight ?? 2) > 1 })
        try check(#Predicate { ($0.weight ?? 0) > 1 })
        try check(#Predicate { !(($0.weight ?? 2) > 1) })
        try check(#Predicate { ($0.nickname ?? "Bo") == "Bo" })
        try check(#Predicate { $0.nickname?.starts(with: "B") ?? false })
        try check(#Predicate { $0.nickname?.starts(with: "B") ?? true })
        try check(#Predicate { $0.nickname?.starts(with: "B") == false })
        try check(#Predicate { $0.nickname?.starts(with: "B") != true })
        try check(#Predicate { $0.nickname.flatMap { $0 != "Bo" } ?? false })
        try check(#Predicate { $0.nickname.flatMap { $0 != "Bo" } == nil })
        try check(
            #Predicate {
                if let nickname = $0.nickname { nickname.contains("e") } else { $0.isTame }
            })
    }

    @Test func collections() throws {
        try check(#Predicate { $0.scores.contains(2) })
        try check(#Predicate { $0.scores.count > 2 || $0.scores.isEmpty })
        try check(#Predicate { $0.scores.max() == 4 })
        try check(#Predicate { $0.friends.contains { $0.age > 3 } })
        try check(#Predicate { $0.friends.allSatisfy { $0.age > 1 } })
        try check(#Predicate { $0.friends.filter { $0.isTame }.count == 1 })
        try check(#Predicate { $0.friends.filter { $0.isTame }.isEmpty })
        try check(#Predicate { $0.zoos.contains { $0.city == "Ulm" && $0.isOpen } })
        try check(#Predicate { $0.friends.contains { $0.home?.city == "Ulm" } })
        try check(#Predicate { $0.friends.contains { $0.friends.allSatisfy { $0.age < 3 } } })
        try check(#Predicate { animal in animal.friends.contains { $0.age > animal.age } })
        try check(
            #Predicate { animal in
                animal.friends.contains { friend in
                    animal.isTame && friend.friends.contains { $0.age == animal.age }
                }
            })
    }
}
