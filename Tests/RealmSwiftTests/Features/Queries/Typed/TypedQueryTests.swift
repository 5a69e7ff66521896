import Foundation
import Testing

@testable import RealmSwift

/// Tests of typed queries by their documented strings. The parser, which shares no code with typed
/// queries, must parse the same predicate from each string.
@Suite struct TypedQueryTests {
    /// Checks a query.
    ///
    /// - Parameter arguments: the descriptions of the arguments, separated by commas.
    private func check(
        _ text: String, _ arguments: String = "",
        sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (Query<ZooAnimal>) -> Query<Bool>
    ) throws {
        let query = condition(Query<ZooAnimal>._constructForTesting())
        let (format, values) = query._constructPredicate()
        #expect(format == text, sourceLocation: sourceLocation)
        #expect(
            values.map { "\($0)" }.joined(separator: ", ") == arguments,
            sourceLocation: sourceLocation)
        let read = try PredicateParser.parse(format, values.map(unwrapped))
        #expect(
            read.normalized.description == query.predicate.normalized.description,
            sourceLocation: sourceLocation)
    }

    @Test func comparisonsOfOneProperty() throws {
        try check("(age == %@)", "5") { $0.age == 5 }
        try check("(age != %@)", "5") { $0.age != 5 }
        try check("(age > %@)", "5") { $0.age > 5 }
        try check("(age >= %@)", "5") { $0.age >= 5 }
        try check("(age < %@)", "5") { $0.age < 5 }
        try check("(age <= %@)", "5") { $0.age <= 5 }
        try check("(weight == %@)", "<null>") { $0.weight == nil }
        try check("(weight != %@)", "2.0") { $0.weight != 2 }
        try check("(weight > %@)", "2.0") { $0.weight > 2 }
        try check("(name == %@)", "Rex") { $0.name == "Rex" }
        try check("(name <= %@)", "Rex") { $0.name <= "Rex" }
        try check("(nickname > %@)", "Rex") { $0.nickname > "Rex" }
        try check("(photo == %@)", "1 bytes") { $0.photo == Data([1]) }
        try check(
            "(number == %@)", "0123456789abcdef01234567"
        ) { $0.number == ObjectId("0123456789abcdef01234567") }
        try check("(home == %@)", "<null>") { $0.home == nil }
        try check("(#all == %@)", "1") { $0.all == 1 }
    }

    @Test func dates() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        try check("(born > %@)", "\(date)") { $0.born > date }
        try check("(born BETWEEN {%@, %@})", "\(date), \(date)") { $0.born.contains(date...date) }
    }

    @Test func flags() throws {
        try check("isTame == true") { $0.isTame }
        try check("isTame == false") { !$0.isTame }
        try check("(isTame == %@)", "true") { $0.isTame == true }
        try check("NOT (isTame == %@)", "true") { !($0.isTame == true) }
        try check("(isTame == true && home.isOpen == false)") { $0.isTame && !$0.home.isOpen }
        try check("ANY zoos.isOpen == true") { $0.zoos.isOpen }
        try check("NOT ANY zoos.isOpen == true") { !$0.zoos.isOpen }
    }

    @Test func combinations() throws {
        try check(
            "(((age == %@) && (age == %@)) || (age == %@))", "1, 2, 3"
        ) { $0.age == 1 && $0.age == 2 || $0.age == 3 }
        try check(
            "(((age == %@) && ((age == %@) || (age == %@))) && (age == %@))", "1, 2, 3, 4"
        ) { $0.age == 1 && ($0.age == 2 || $0.age == 3) && $0.age == 4 }
        try check("NOT ((age == %@) || (age == %@))", "1, 2") { !($0.age == 1 || $0.age == 2) }
        try check("NOT NOT (age == %@)", "1") { !(!($0.age == 1)) }
    }

    @Test func rangesAndSetsOfValues() throws {
        try check("((age >= %@) && (age < %@))", "1, 3") { $0.age.contains(1..<3) }
        try check("(age BETWEEN {%@, %@})", "1, 3") { $0.age.contains(1...3) }
        try check("(weight BETWEEN {%@, %@})", "1.0, 3.0") { $0.weight.contains(1...3) }
        try check("((weight >= %@) && (weight < %@))", "1.0, 3.0") { $0.weight.contains(1..<3) }
        try check("(age IN %@)", "[1, 2]") { $0.age.in([1, 2]) }
        try check("(nickname IN %@)", "[\"a\", <null>]") { $0.nickname.in(["a", nil]) }
        try check("(mood IN %@)", "[\"wild\"]") { $0.mood.in([.wild]) }
    }

    @Test func strings() throws {
        try check("(name CONTAINS %@)", "a") { $0.name.contains("a") }
        try check("(name BEGINSWITH %@)", "a") { $0.name.starts(with: "a") }
        try check("(name ENDSWITH %@)", "a") { $0.name.ends(with: "a") }
        try check("(name LIKE %@)", "a*") { $0.name.like("a*") }
        try check("(name LIKE[c] %@)", "a*") { $0.name.like("a*", caseInsensitive: true) }
        try check("(name ==[c] %@)", "a") { $0.name.equals("a", options: .caseInsensitive) }
        try check(
            "(name !=[cd] %@)", "a"
        ) { $0.name.notEquals("a", options: [.caseInsensitive, .diacriticInsensitive]) }
        try check(
            "(nickname CONTAINS[d] %@)", "a"
        ) { $0.nickname.contains("a", options: .diacriticInsensitive) }
        try check("(nickname BEGINSWITH %@)", "<null>") { $0.nickname.starts(with: nil) }
        try check("(photo CONTAINS %@)", "1 bytes") { $0.photo.contains(Data([1])) }
        try check("(name CONTAINS nickname)") { $0.name.contains($0.nickname) }
        try check("(name LIKE nickname)") { $0.name.like($0.nickname) }
    }

    @Test func enumsAndCustomTypesAreGivenAsTheyAreStored() throws {
        try check("(mood == %@)", "wild") { $0.mood == .wild }
        try check("(mood > %@)", "calm") { $0.mood > .calm }
        try check("(formerMood == %@)", "<null>") { $0.formerMood == nil }
        try check("(formerMood == %@)", "calm") { $0.formerMood == .calm }
        try check("(mood == %@)", "w") { $0.mood.rawValue == "w" }
        try check("(formerMood == %@)", "w") { $0.formerMood.rawValue == "w" }
        try check("(mood CONTAINS %@)", "w") { $0.mood.persistableValue.contains("w") }
        try check("(ANY moods == %@)", "wild") { $0.moods == .wild }
        try check("(ANY moods == %@)", "w") { $0.moods.rawValue == "w" }
        try check("(length == %@)", "2.0") { $0.length == Meters(2) }
        try check("(length > %@)", "2.0") { $0.length > Meters(2) }
        try check("(length == %@)", "2.0") { $0.length.persistableValue == 2 }
        try check("(%@ IN lengths)", "2.0") { $0.lengths.contains(Meters(2)) }
        try check("(ANY lengths > %@)", "2.0") { $0.lengths.persistableValue > 2 }
    }

    @Test func pathsThroughLinks() throws {
        try check("(home.city == %@)", "Ulm") { $0.home.city == "Ulm" }
        try check("(home.partner.city == %@)", "Ulm") { $0.home.partner.city == "Ulm" }
        try check("(den.depth > %@)", "1") { $0.den.depth > 1 }
        try check("(age == #all)") { $0.age == $0.all }
        try check("(name < home.city)") { $0.name < $0.home.city }
    }

    @Test func collectionsOfValues() throws {
        try check("(ANY scores == %@)", "1") { $0.scores == 1 }
        try check("(ANY scores != %@)", "1") { $0.scores != 1 }
        try check("(ANY scores > %@)", "1") { $0.scores > 1 }
        try check("(ANY scores <= %@)", "1") { $0.scores <= 1 }
        try check("(%@ IN scores)", "1") { $0.scores.contains(1) }
        try check("(%@ IN words)", "<null>") { $0.words.contains(nil) }
        try check("(ANY scores IN %@)", "[1, 2]") { $0.scores.containsAny(in: [1, 2]) }
        try check(
            "((scores.@min >= %@) && (scores.@max <= %@))", "1, 3"
        ) { $0.scores.contains(1...3) }
        try check(
            "((scores.@min >= %@) && (scores.@max < %@))", "1, 3"
        ) { $0.scores.contains(1..<3) }
        try check("(scores.@count == %@)", "2") { $0.scores.count == 2 }
        try check("(scores.@min > %@)", "2") { $0.scores.min > 2 }
        try check("(scores.@max > %@)", "2") { $0.scores.max > 2 }
        try check("(scores.@sum > %@)", "2") { $0.scores.sum > 2 }
        try check("(scores.@avg > %@)", "2") { $0.scores.avg > 2 }
        try check("(scores.@max == age)") { $0.scores.max == $0.age }
        try check("(%@ IN den.marks)", "1") { $0.den.marks.contains(1) }
    }

    @Test func collectionsOfObjects() throws {
        try check("(ANY friends.age == %@)", "1") { $0.friends.age == 1 }
        try check("(ANY friends.home.city == %@)", "Ulm") { $0.friends.home.city == "Ulm" }
        try check("(ANY friends.name CONTAINS %@)", "e") { $0.friends.name.contains("e") }
        try check("(ANY friends.age BETWEEN {%@, %@})", "1, 3") { $0.friends.age.contains(1...3) }
        try check("(ANY friends.age IN %@)", "[1]") { $0.friends.age.in([1]) }
        try check("(friends.@count > %@)", "1") { $0.friends.count > 1 }
        try check("(friends.@sum.age > %@)", "1") { $0.friends.age.sum > 1 }
        try check("(friends.@avg.weight > %@)", "1.0") { $0.friends.weight.avg > 1 }
        try check("(ANY friends.friends.age == %@)", "1") { $0.friends.friends.age == 1 }
        try check("(%@ IN friends.scores)", "1") { $0.friends.scores.contains(1) }
        try check("(ANY zoos.city == %@)", "Ulm") { $0.zoos.city == "Ulm" }
        try check("(zoos.@count == %@)", "0") { $0.zoos.count == 0 }
        try check("(ANY zoos.partner.city == %@)", "Ulm") { $0.zoos.partner.city == "Ulm" }
    }

    @Test func maps() throws {
        try check("(prices[%@] == %@)", "a, 1.0") { $0.prices["a"] == 1 }
        try check("(labels[%@] == %@)", "a, <null>") { $0.labels["a"] == nil }
        try check("(labels[%@] CONTAINS %@)", "a, x") { $0.labels["a"].contains("x") }
        try check("(ANY prices.@allKeys == %@)", "a") { $0.prices.keys == "a" }
        try check("(ANY prices.@allKeys BEGINSWITH %@)", "a") { $0.prices.keys.starts(with: "a") }
        try check("(ANY prices.@allValues > %@)", "1.0") { $0.prices.values > 1 }
        try check("(%@ IN prices)", "1.0") { $0.prices.contains(1) }
        try check("(ANY prices IN %@)", "[1.0]") { $0.prices.containsAny(in: [1]) }
        try check(
            "((prices.@min >= %@) && (prices.@max < %@))", "1.0, 3.0"
        ) { $0.prices.contains(1..<3) }
        try check("(prices.@count == %@)", "1") { $0.prices.count == 1 }
        try check("(prices.@sum == %@)", "1.0") { $0.prices.sum == 1 }
        try check("(neighbours.@count == %@)", "1") { $0.neighbours.count == 1 }
        try check("(neighbours[%@] == %@)", "a, <null>") { $0.neighbours["a"] == nil }
    }

    @Test func mixedValues() throws {
        try check("(note == %@)", "int(1)") { $0.note == .int(1) }
        try check("(note == %@)", "none") { $0.note == .none }
        try check("(note > %@)", "int(1)") { $0.note > .int(1) }
        try check("(note BEGINSWITH %@)", "string(\"a\")") { $0.note.starts(with: .string("a")) }
        try check(
            "(note[%@][%@][%K] == %@)", "a, 0, #any, int(1)"
        ) { $0.note["a"][0].any == .int(1) }
    }

    @Test func subqueries() throws {
        try check(
            "(SUBQUERY(friends, $col1, ($col1.age > %@)).@count > %@)", "1, 2"
        ) { ($0.friends.age > 1).count > 2 }
        try check(
            "(SUBQUERY(friends, $col1, (($col1.age > %@) && $col1.isTame == true)).@count == %@)",
            "1, 0"
        ) { ($0.friends.age > 1 && $0.friends.isTame).count == 0 }
        try check(
            "((SUBQUERY(friends, $col1, ($col1.age > %@)).@count > %@) && "
                + "(SUBQUERY(zoos, $col2, $col2.isOpen == true).@count > %@))", "1, 2, 3"
        ) { ($0.friends.age > 1).count > 2 && ($0.zoos.isOpen).count > 3 }
        try check(
            "(SUBQUERY(friends, $col1, (ANY $col1.friends.age > %@)).@count > %@)", "1, 2"
        ) { ($0.friends.friends.age > 1).count > 2 }
        try check(
            "(SUBQUERY(friends, $col1, (SUBQUERY($col1.friends, $col2, ($col2.age > %@)).@count "
                + "> %@)).@count > %@)", "1, 2, 3"
        ) { (($0.friends.friends.age > 1).count > 2).count > 3 }
        try check(
            "(SUBQUERY(friends, $col1, (($col1.age > age) && ($col1.age > scores.@max))).@count > "
                + "%@)", "2"
        ) { ($0.friends.age > $0.age && $0.friends.age > $0.scores.max).count > 2 }
        try check(
            "(SUBQUERY(friends, $col1, (($col1.age > %@) && (SUBQUERY(zoos, $col2, $col2.isOpen == "
                + "true).@count > %@))).@count > %@)", "1, 2, 3"
        ) { ($0.friends.age > 1 && ($0.zoos.isOpen).count > 2).count > 3 }
        try check(
            "(SUBQUERY(friends, $col1, ($col1.friends.@count > %@)).@count > %@)", "1, 2"
        ) { ($0.friends.friends.count > 1).count > 2 }
        try check(
            "(SUBQUERY(home.animals, $col1, ($col1.age BETWEEN {%@, %@})).@count > %@)", "1, 3, 2"
        ) { ($0.home.animals.age.contains(1...3)).count > 2 }
        try check(
            "(SUBQUERY(friends, $col1, ($col1.scores.@sum > %@)).@count > %@)", "1, 2"
        ) { ($0.friends.scores.sum > 1).count > 2 }
        try check(
            "((SUBQUERY(friends, $col1, ($col1.age > %@)).@count >= %@) && (SUBQUERY(friends, "
                + "$col2, ($col2.age > %@)).@count <= %@))", "1, 2, 1, 3"
        ) { ($0.friends.age > 1).count.contains(2...3) }
    }

    @Test func longChainsOfConditionsAreOneList() {
        let conditions = (0..<20_000).map { Query<ZooAnimal>().age == $0 }
        let all = conditions.dropFirst().reduce(conditions[0]) { $0 || $1 }
        guard case .or(let operands) = all.predicate else {
            Issue.record("no disjunction")
            return
        }
        #expect(operands.count == 20_000)
        #expect(all._constructPredicate().1.count == 20_000)
    }

    @Test func linkingObjectsHaveNamesInKeyPaths() {
        #expect(_name(for: \ZooAnimal.zoos) == "zoos")
        #expect(_name(for: \ZooAnimal.home?.partner?.animals) == "home.partner.animals")
    }
}

extension PredicateSyntax {
    /// An equal predicate in a canonical form: without double negations, with nested conjunctions
    /// and disjunctions flattened, and arrays as lists.
    fileprivate var normalized: PredicateSyntax {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            if case .value(let values as [Any]) = comparison.right {
                comparison.right = .list(values.map(unwrapped))
            }
            return .comparison(comparison)
        case .not(.not(let operand)): return operand.normalized
        case .not(let operand): return .not(operand.normalized)
        case .and(let operands):
            return .and(
                operands.map(\.normalized).flatMap {
                    if case .and(let inner) = $0 { return inner }
                    return [$0]
                })
        case .or(let operands):
            return .or(
                operands.map(\.normalized).flatMap {
                    if case .or(let inner) = $0 { return inner }
                    return [$0]
                })
        }
    }
}
