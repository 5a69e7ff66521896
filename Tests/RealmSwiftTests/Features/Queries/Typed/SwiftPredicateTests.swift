import Foundation
import Testing

@testable import RealmSwift

/// Tests of the predicates that `#Predicate` is translated to.
@Suite struct SwiftPredicateTests {
    private func check(
        _ expected: String, _ predicate: Predicate<ZooAnimal>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let syntax = try PredicateTranslator.translate(predicate)
        #expect(syntax.description == expected, sourceLocation: sourceLocation)
    }

    private func refusal(of predicate: Predicate<ZooAnimal>) -> String? {
        do {
            _ = try PredicateTranslator.translate(predicate)
            return nil
        } catch { return "\(error)" }
    }

    @Test func comparisons() throws {
        let limit = 3
        let wild = Mood.wild
        let length = Meters(2)
        try check("age > 3", #Predicate { $0.age > limit })
        try check("age >= -1", #Predicate { $0.age >= -1 })
        try check("3 < age", #Predicate { 3 < $0.age })
        try check("age <= #all", #Predicate { $0.age <= $0.all })
        try check("name == \"Rex\"", #Predicate { $0.name == "Rex" })
        try check("NOT name == \"Rex\"", #Predicate { $0.name != "Rex" })
        try check("weight == NULL", #Predicate { $0.weight == nil })
        try check("mood == \"wild\"", #Predicate { $0.mood == wild })
        try check("mood == \"wild\"", #Predicate { $0.mood.rawValue == "wild" })
        try check("length == 2.0", #Predicate { $0.length == length })
        try check("home == NULL", #Predicate { $0.home == nil })
        try check("TRUEPREDICATE", #Predicate { _ in limit > 2 })
        try check("age > 7", #Predicate { $0.age > limit + 4 })
    }

    @Test func combinations() throws {
        try check(
            "isTame == TRUE AND (age == 1 OR NOT age == 2)",
            #Predicate { $0.isTame && ($0.age == 1 || !($0.age == 2)) })
        try check(
            "(isTame == TRUE AND age == 1) OR (NOT isTame == TRUE AND age == 2)",
            #Predicate { $0.isTame ? $0.age == 1 : $0.age == 2 })
    }

    @Test func strings() throws {
        try check("name BEGINSWITH \"R\"", #Predicate { $0.name.starts(with: "R") })
        try check("name CONTAINS \"R\"", #Predicate { $0.name.contains("R") })
        try check("name == \"\"", #Predicate { $0.name.isEmpty })
        try check("nickname CONTAINS \"R\"", #Predicate { $0.nickname!.contains("R") })
    }

    @Test func valuesAndRanges() throws {
        let ages = [1, 2]
        let range = 1...3
        try check("age IN {1, 2}", #Predicate { ages.contains($0.age) })
        try check("age IN {1, 2}", #Predicate { [1, 2].contains($0.age) })
        try check("1 <= age AND age <= 3", #Predicate { (1...3).contains($0.age) })
        try check("1 <= age AND age < 3", #Predicate { (1..<3).contains($0.age) })
        try check("age >= 1 AND age <= 3", #Predicate { range.contains($0.age) })
    }

    @Test func optionals() throws {
        try check("home.city == \"Ulm\"", #Predicate { $0.home?.city == "Ulm" })
        try check("NOT home.city == \"Ulm\"", #Predicate { $0.home?.city != "Ulm" })
        try check("home.partner.city == NULL", #Predicate { $0.home?.partner?.city == nil })
        try check("home.isOpen == TRUE", #Predicate { $0.home!.isOpen })
        try check(
            "NOT nickname == NULL AND nickname BEGINSWITH \"R\"",
            #Predicate { $0.nickname?.starts(with: "R") ?? false })
        try check(
            "nickname == NULL OR nickname BEGINSWITH \"R\"",
            #Predicate { $0.nickname?.starts(with: "R") ?? true })
        try check(
            "NOT nickname == NULL AND nickname BEGINSWITH \"R\"",
            #Predicate { $0.nickname?.starts(with: "R") == true })
        try check(
            "(NOT nickname == NULL AND nickname BEGINSWITH \"R\") OR "
                + "(nickname == NULL AND isTame == TRUE)",
            #Predicate {
                if let nickname = $0.nickname { nickname.starts(with: "R") } else { $0.isTame }
            })
        try check("weight > 3.0", #Predicate { ($0.weight ?? 1) > 3 })
        try check("weight > 3.0 OR weight == NULL", #Predicate { ($0.weight ?? 5) > 3 })
        try check("home.isOpen == TRUE", #Predicate { $0.home?.isOpen ?? false })
    }

    @Test func collections() throws {
        try check("1 IN scores", #Predicate { $0.scores.contains(1) })
        try check("scores.@count > 2", #Predicate { $0.scores.count > 2 })
        try check("scores.@count == 0", #Predicate { $0.scores.isEmpty })
        try check("scores.@max == 2", #Predicate { $0.scores.max() == 2 })
        try check(
            "SUBQUERY(friends, $element1, $element1.age > 3).@count > 0",
            #Predicate { $0.friends.contains { $0.age > 3 } })
        try check(
            "SUBQUERY(friends, $element1, NOT $element1.age > 3).@count == 0",
            #Predicate { $0.friends.allSatisfy { $0.age > 3 } })
        try check(
            "SUBQUERY(zoos, $element1, $element1.isOpen == TRUE).@count > 2",
            #Predicate { $0.zoos.filter { $0.isOpen }.count > 2 })
        try check(
            "SUBQUERY(friends, $element1, SUBQUERY($element1.friends, $element2, "
                + "$element2.age > 3).@count > 0).@count > 0",
            #Predicate { $0.friends.contains { $0.friends.contains { $0.age > 3 } } })
    }

    @Test func whatHasNoCounterpartIsRefusedByName() {
        #expect(
            refusal(of: #Predicate { $0.age + 1 > 3 })
                == "'Arithmetic' is not supported in a #Predicate")
        #expect(
            refusal(of: #Predicate { $0.name.count > 3 })
                == "The length of a value is not supported in a #Predicate")
        #expect(
            refusal(of: #Predicate { $0.friends.first?.age == 3 })?.hasSuffix(
                "which is no persisted property, is not supported in a #Predicate") == true)
        #expect(
            refusal(of: #Predicate { $0.scores.contains { $0 > 3 } })
                == "A condition on elements that are no objects is not supported except with "
                + "contains(_:) in a #Predicate")
        #expect(
            refusal(of: #Predicate { $0.isInvalidated })?.hasSuffix(
                "which is no persisted property, is not supported in a #Predicate") == true)
    }
}
