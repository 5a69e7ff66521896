import Foundation
import Testing

@testable import RealmSwift
@testable import RealmTool

final class TypedBoss: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var count: Int
}

final class TypedHome: EmbeddedObject {
    @Persisted var city: String
    @Persisted var rooms: List<Int>
}

final class TypedThing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var nick: String?
    @Persisted var flag: Bool
    @Persisted var level: Int?
    @Persisted var small: Float
    @Persisted var ratio: Double
    @Persisted var amount: Decimal128
    @Persisted var made: Date?
    @Persisted var blob: Data?
    @Persisted var note: AnyRealmValue
    @Persisted var boss: TypedBoss?
    @Persisted var home: TypedHome?
    @Persisted var friends: List<TypedBoss>
    @Persisted var tags: List<String>
    @Persisted var scores: MutableSet<Int>
    @Persisted var points: Map<String, Double?>
    @Persisted var `default`: Int
}

/// Predicates as conditions of `where`: what is shown is what stands here, which the compiler
/// takes, and which finds the same objects.
@Suite struct TypedFormTests {
    private let folder: TemporaryFolder
    private let realm: Realm
    private let version: InspectedVersion

    private static let names = ["Ada", "bob", "\"quoted\" \\", "Äpfel", "nul \u{0} \u{202e}"]

    init() throws {
        folder = try TemporaryFolder()
        let path = folder["typed.realm"]
        realm = try Realm(
            configuration: .init(
                fileURL: URL(fileURLWithPath: path),
                objectTypes: [TypedBoss.self, TypedHome.self, TypedThing.self]))
        let realm = realm
        try realm.write {
            let bosses = (0..<6).map {
                realm.create(
                    TypedBoss.self, value: ["id": $0, "name": "B\($0 % 3)", "age": $0 * 10])
            }
            for index in 0..<40 {
                let thing = realm.create(TypedThing.self, value: ["id": index])
                thing.name = Self.names[index % 5]
                thing.nick = index % 3 == 0 ? nil : ["Ada", "x"][index % 2]
                thing.flag = index % 2 == 0
                thing.level = index % 4 == 0 ? nil : index - 10
                thing.small = Float(index) / 2
                thing.ratio = Double(index) / 4
                thing.amount = Decimal128(value: index)
                thing.made = index % 2 == 0 ? nil : Date(timeIntervalSince1970: Double(index))
                thing.blob = index % 2 == 0 ? nil : Data([1])
                let notes: [AnyRealmValue] = [
                    .none, .int(index), .string("text"), .double(1.5), .bool(true),
                ]
                thing.note = notes[index % 5]
                thing.boss = index % 7 == 0 ? nil : bosses[index % 6]
                thing.home = TypedHome(value: ["city": "C\(index % 4)", "rooms": [index, 2]])
                thing.friends.append(objectsIn: bosses.prefix(index % 6))
                thing.tags.append(objectsIn: ["a", "b", "c"].prefix(index % 4))
                thing.scores.insert(objectsIn: 0..<index % 5)
                thing.points["k"] = index % 3 == 0 ? Double(index) : nil
                thing.default = index
            }
        }
        version = try InspectedFile(path: path, key: nil).newest()
    }

    private func source(_ predicate: String, order: String? = nil) throws -> QuestionSource {
        try version.source(
            of: .init(className: "TypedThing", predicate: predicate, order: order))
    }

    /// Compares the form of a predicate with the text of the closure in this file, and what both
    /// find.
    private func expect(
        _ predicate: String, line: Int = #line, _ condition: (Query<TypedThing>) -> Query<Bool>
    ) throws {
        let file = try String(contentsOfFile: #filePath, encoding: .utf8)
        let text = file.split(separator: "\n", omittingEmptySubsequences: false)[line - 1]
        let start = try #require(text.range(of: ") { "))
        let closure = text[text.index(start.lowerBound, offsetBy: 2)...]
        #expect(
            try source(predicate)
                == QuestionSource(
                    text: "realm.objects(TypedThing.self).where \(closure)", problem: nil))
        let things = realm.objects(TypedThing.self)
        let found = things.where(condition).map(\.id)
        #expect(Array(found) == Array(things.filter(predicate).map(\.id)), "\(predicate)")
        #expect(!found.isEmpty && found.count < things.count, "\(predicate) tells nothing apart")
    }

    @Test func valuesAreCompared() throws {
        try expect("id > 30") { $0.id > 30 }
        try expect("30 <= id") { $0.id >= 30 }
        try expect("level == nil") { $0.level == nil }
        try expect("level != 5") { $0.level != 5 }
        try expect("level < -5") { $0.level < -5 }
        try expect("small >= 12.5") { $0.small >= 12.5 }
        try expect("ratio < 2") { $0.ratio < 2 }
        try expect("amount <= 7") { $0.amount <= 7 }
        try expect("flag == YES") { $0.flag == true }
        try expect("made == nil") { $0.made == nil }
        try expect("blob != nil") { $0.blob != nil }
        try expect("boss == nil") { $0.boss == nil }
        try expect("default > 3") { $0.default > 3 }
        try expect("id == 3.0") { $0.id == 3 }
        try expect("note == 6") { $0.note == .int(6) }
        try expect("note == 'text'") { $0.note == .string("text") }
        try expect("note == nil") { $0.note == AnyRealmValue.none }
        try expect("note > 1") { $0.note > .int(1) }
        try expect("id BETWEEN {3, 7}") { $0.id.contains(3...7) }
        try expect("level BETWEEN {-3, 7}") { $0.level.contains(-3...7) }
        try expect("ratio BETWEEN {1, 2.5}") { $0.ratio.contains(1...2.5) }
        try expect("id IN {1, 2, 3}") { $0.id.in([1, 2, 3]) }
        try expect("nick IN {nil, 'x'}") { $0.nick.in([nil, "x"]) }
    }

    @Test func textsAreCompared() throws {
        try expect("name == 'Ada'") { $0.name == "Ada" }
        try expect("name == '\"quoted\" \\\\'") { $0.name == "\"quoted\" \\" }
        try expect("name == 'nul \\x00 \\u202e'") { $0.name == "nul \u{0} \u{202e}" }
        try expect("name == 'Äpfel'") { $0.name == "Äpfel" }
        try expect("name > 'a'") { $0.name > "a" }
        try expect("name BEGINSWITH 'A'") { $0.name.starts(with: "A") }
        try expect("nick ENDSWITH[c] 'DA'") { $0.nick.ends(with: "DA", options: .caseInsensitive) }
        try expect("name CONTAINS 'd'") { $0.name.contains("d") }
        try expect("name ==[c] 'BOB'") { $0.name.equals("BOB", options: .caseInsensitive) }
        let apples = "name !=[d] 'Apfel'"
        try expect(apples) { $0.name.notEquals("Apfel", options: .diacriticInsensitive) }
        try expect("name LIKE 'A*'") { $0.name.like("A*") }
        try expect("name LIKE[c] 'a?a'") { $0.name.like("a?a", caseInsensitive: true) }
        try expect("name BEGINSWITH nick") { $0.name.starts(with: $0.nick) }
    }

    @Test func pathsLeadThroughLinksAndCollections() throws {
        try expect("boss.age > 20") { $0.boss.age > 20 }
        try expect("boss.name == 'B1'") { $0.boss.name == "B1" }
        try expect("home.city != 'C1'") { $0.home.city != "C1" }
        try expect("home.rooms.@count > 1 AND id < 5") { $0.home.rooms.count > 1 && $0.id < 5 }
        try expect("ANY friends.age > 30") { $0.friends.age > 30 }
        try expect("friends.@count == 3") { $0.friends.count == 3 }
        try expect("friends.@avg.age > 15") { $0.friends.age.avg > 15 }
        try expect("scores.@max > 2") { $0.scores.max > 2 }
        try expect("scores.@sum >= 3") { $0.scores.sum >= 3 }
        try expect("ANY scores > 2") { $0.scores > 2 }
        try expect("ANY tags == 'b'") { $0.tags == "b" }
        try expect("'c' IN tags") { $0.tags.contains("c") }
        try expect("NONE friends.name == 'B2'") { !($0.friends.name == "B2") }
        try expect("points['k'] > 5") { $0.points["k"] > 5 }
        try expect("ANY points.@allValues > 5") { $0.points.values > 5 }
        let friends = "SUBQUERY(friends, $f, $f.age > 10 AND $f.name == 'B2').@count > 0"
        try expect(friends) { ($0.friends.age > 10 && $0.friends.name == "B2").count > 0 }
    }

    @Test func conditionsAreJoined() throws {
        try expect("id > 3 AND id < 9") { $0.id > 3 && $0.id < 9 }
        let either = "id < 3 OR id > 9 AND flag == true"
        try expect(either) { $0.id < 3 || $0.id > 9 && $0.flag == true }
        let both = "(id < 3 OR id > 9) AND flag == true"
        try expect(both) { ($0.id < 3 || $0.id > 9) && $0.flag == true }
        try expect("NOT (id < 3 OR level == nil)") { !($0.id < 3 || $0.level == nil) }
    }

    @Test func whatHasNoTypedFormSaysSo() throws {
        for (predicate, reason) in [
            ("TRUEPREDICATE", "TRUEPREDICATE has no typed form."),
            ("boss.name == nil", "What '$0.boss.name' leads to is never nil in Swift."),
            ("id == 2.5", "'2.5' is no int in the typed form."),
            ("name == nick", "Properties of different types are not compared."),
            ("ANY tags BEGINSWITH 'a'", "BEGINSWITH of elements has no typed form."),
            ("boss.count > 1", "'count' means something else in the typed form."),
            ("name IN[c] {'a'}", "Options such as [c] have no typed form here."),
        ] {
            let literal = TypedSource.literal(predicate)
            #expect(
                try source(predicate)
                    == QuestionSource(
                        text: "realm.objects(TypedThing.self).filter(\(literal))",
                        problem: reason))
        }
        #expect(throws: PredicateProblem.self) { try source("nmae == 3") }
    }

    @Test func theOrderIsPartOfTheSource() throws {
        #expect(
            try source("id > 3", order: "name:desc").text
                == "realm.objects(TypedThing.self).where { $0.id > 3 }"
                + ".sorted(byKeyPath: \"name\", ascending: false)")
    }
}
