import Foundation
import RealmSwift
import Testing

@testable import RealmSwift

/// Tests of Foundation's `NSPredicate`, whose strings this library parses.
@Suite struct NSPredicateTests {
    @Test func stringsAreReadAsFiltersReadThem() throws {
        let predicate = NSPredicate(format: "color = %@ AND age > %d", "tan", 3)
        let text = "color == \"tan\" AND age > 3"
        #expect(try PredicateSyntax(predicate).description == text)
        #expect("\(predicate)" == text)
        #expect(
            NSPredicate(format: "a == %@ OR b == %@", argumentArray: [NSNull(), 2]).description
                == "a == NULL OR b == 2")
        let nothing: String? = nil
        #expect(NSPredicate(format: "a == %@", nothing).description == "a == NULL")
    }

    @Test func predicatesAreCombined() throws {
        let a = NSPredicate(format: "a == 1")
        let b = NSPredicate(format: "b == 2")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        let neither = NSCompoundPredicate(
            notPredicateWithSubpredicate: NSCompoundPredicate(
                orPredicateWithSubpredicates: [a, b]))
        #expect(try PredicateSyntax(both).description == "a == 1 AND b == 2")
        #expect(try PredicateSyntax(neither).description == "NOT ((a == 1 OR b == 2))")
        #expect(try PredicateSyntax(NSPredicate(value: true)).description == "TRUEPREDICATE")
        #expect(try PredicateSyntax(NSPredicate(value: false)).description == "FALSEPREDICATE")
    }

    @Test func closuresAreRefused() {
        let error = #expect(throws: InvalidPredicate.self) {
            try PredicateSyntax(NSPredicate { _, _ in true })
        }
        #expect(
            error?.message == "Only support compound, comparison, and constant predicates")
    }

    @Test func equalIfTheySayTheSame() {
        let predicate = NSPredicate(format: "a == %@ AND b IN %@", 1, ["x", nil])
        #expect(predicate == NSPredicate(format: "a == %@ AND b IN %@", 1, ["x", nil]))
        #expect(predicate == predicate.copy() as? NSPredicate)
        #expect(predicate != NSPredicate(format: "a == %@ AND b IN %@", 1, ["y", nil]))
        #expect(predicate != NSPredicate(format: "a == %@ AND b IN %@", 2, ["x", nil]))
        #expect(predicate == NSPredicate(format: "((a=%@)&&(b in %@))", 1, ["x", nil]))
        #expect(predicate == NSPredicate(format: "a == 1 AND b IN {'x', nil}"))
        #expect(predicate.hash == NSPredicate(format: "a == 1 AND b IN {'x', nil}").hash)
        #expect(predicate == NSPredicate(format: "a == 1.0 AND %K IN {'x', nil}", "b"))
        #expect(predicate != NSPredicate(format: "b IN {'x', nil} AND a == 1"))
        #expect(predicate != NSPredicate(format: "a == true AND b IN {'x', nil}"))
        #expect(predicate != NSPredicate(format: "a == 1 OR b IN {'x', nil}"))
        #expect(predicate != NSPredicate(format: "a == 1 AND b IN[c] {'x', nil}"))
        #expect(NSPredicate(format: "a == '\u{e9}'") != NSPredicate(format: "a == 'e\u{301}'"))
        #expect(predicate != NSPredicate(value: true))
        #expect(NSPredicate(value: true) != predicate)
        #expect(NSPredicate(value: true) == NSPredicate(format: "TRUEPREDICATE"))
        #expect(NSPredicate(format: "FALSEPREDICATE") == NSPredicate(value: false))
        #expect(
            Set([predicate, NSPredicate(format: "a == %@ AND b IN %@", 1, ["x", nil])]).count == 1)
    }

    @Test func collectionsAreFiltered() throws {
        let animals = try zooRealm(seed: 4).objects(ZooAnimal.self)
        let predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [
            NSPredicate(format: "age > %d AND home.city == %@", 2, "Ulm"),
            NSPredicate(format: "ANY %K IN %@", "scores", [0]),
        ])
        let expected = Array(animals).filter {
            $0.age > 2 && $0.home?.city == "Ulm" || $0.scores.contains(0)
        }
        #expect(!expected.isEmpty)
        #expect(animals.filter(predicate).map(\.id) == expected.map(\.id))
        #expect(animals.index(matching: predicate) == expected.first?.id)
        #expect(animals.filter(NSPredicate(value: true)).count == animals.count)
        #expect(animals.index(matching: NSPredicate(value: false)) == nil)
        let friends = try #require(animals.first { $0.friends.count > 1 }).friends
        #expect(friends.filter(predicate).count == friends.count { expected.contains($0) })
    }

    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        misuses.expectStop(name, result)
    }
}

private let misuses: [String: Misuse] = [
    "a string that is no predicate": Misuse(
        "Unable to parse the format string: a property or a value is expected, not the end of the "
            + "predicate (at character 5 of \"a ==\")"
    ) { _ = NSPredicate(format: "a ==") },
    "evaluating": Misuse("A predicate with a format can filter collections of a Realm only.") {
        _ = NSPredicate(format: "a == 1").evaluate(with: ZooAnimal())
    },
]
