import Foundation
import Testing

@testable import RealmSwift

// Predicates and mixed values that a program nests 50,000 levels deep must end in a descriptive
// error and must not overflow the stack.

private let levels = 50_000

private func documents() throws -> Realm {
    let realm = try temporaryRealm([Document.self])
    try realm.write { realm.create(Document.self, value: ["name": "a", "content": 1]) }
    return realm
}

private func heroes() throws -> Realm {
    let realm = try temporaryRealm([Hero.self, Lair.self])
    try realm.write { for id in 0..<3 { realm.create(Hero.self, value: ["id": id, "age": id]) } }
    return realm
}

private func nestedList(_ count: Int = levels) -> AnyRealmValue {
    var value = AnyRealmValue.int(1)
    for _ in 0..<count { value = .fromArray([value]) }
    return value
}

private func nestedMap() -> AnyRealmValue {
    var value = AnyRealmValue.int(1)
    for level in 0..<levels {
        value = level.isMultiple(of: 2) ? .fromDictionary(["k": value]) : .fromArray([value])
    }
    return value
}

private func nestedArray(_ count: Int = levels) -> Any {
    var value: Any = 1
    for _ in 0..<count { value = [value] }
    return value
}

private func nestedDictionary() -> Any {
    var value: Any = 1
    for level in 0..<levels {
        value = level.isMultiple(of: 2) ? ["k": value] as [String: Any] : [value] as [Any]
    }
    return value
}

/// Returns a nested predicate that is never released, because Foundation's predicates are released
/// by recursion.
private func nestedPredicate(_ type: NSCompoundPredicate.LogicalType) -> NSPredicate {
    var predicate = NSPredicate(format: "age == 1")
    let other = NSPredicate(format: "age == 2")
    for _ in 0..<levels {
        let parts = type == .not ? [predicate] : [other, predicate]
        predicate = NSCompoundPredicate(type: type, subpredicates: parts)
    }
    _ = Unmanaged.passRetained(predicate)
    return predicate
}

private let predicateTooDeep = "The predicate is nested more than 200 times"
private let valueTooDeep =
    "Lists and maps in a mixed value lie inside each other to 100 levels at most."

private let misuses: [String: Misuse] = [
    "a typed query that is negated again and again": Misuse(predicateTooDeep) {
        _ = try heroes().objects(Hero.self).where {
            var condition = $0.age == 1
            for _ in 0..<levels { condition = !condition }
            return condition
        }
    },
    "a typed query that is deep on the right side": Misuse(predicateTooDeep) {
        _ = try heroes().objects(Hero.self).where {
            var condition = $0.age == 1
            for _ in 0..<levels { condition = $0.age == 2 && condition }
            return condition
        }
    },
    "a typed query whose operators alternate": Misuse(predicateTooDeep) {
        _ = try heroes().objects(Hero.self).where {
            var condition = $0.age == 1
            for _ in 0..<levels { condition = (condition && $0.age == 2) || $0.age == 3 }
            return condition
        }
    },
    "a typed query of counts of counts": Misuse(predicateTooDeep) {
        _ = try heroes().objects(Hero.self).where {
            var condition = $0.friends.age == 1
            for _ in 0..<levels { condition = condition.count == 1 }
            return condition
        }
    },
    "a typed query of comparisons of comparisons": Misuse(predicateTooDeep) {
        _ = try heroes().objects(Hero.self).where {
            var condition = $0.isActive == true
            for _ in 0..<levels { condition = condition == condition }
            return condition
        }
    },
    "a text in parentheses": Misuse(predicateTooDeep + " (at character 201 of ") {
        let text =
            String(repeating: "(", count: levels) + "age == 1 AND age == 2"
            + String(repeating: ")", count: levels)
        _ = try heroes().objects(Hero.self).filter(text)
    },
    "a negated NSPredicate": Misuse(predicateTooDeep) {
        _ = try heroes().objects(Hero.self).filter(nestedPredicate(.not))
    },
    "an NSPredicate that is deep on the right side": Misuse(predicateTooDeep) {
        _ = try heroes().objects(Hero.self).filter(nestedPredicate(.or))
    },
    "an NSPredicate for an unmanaged list": Misuse(predicateTooDeep) {
        let list = List<Hero>()
        list.append(Hero())
        _ = list.index(matching: nestedPredicate(.and))
    },
    "a list in the property of an object that is added": Misuse(valueTooDeep) {
        let document = Document()
        document.content = nestedList()
        let realm = try documents()
        try realm.write { realm.add(document) }
    },
    "a map that is assigned": Misuse(valueTooDeep) {
        let realm = try documents()
        let document = realm.objects(Document.self)[0]
        try realm.write { document.content = nestedMap() }
    },
    "a list that lies in itself": Misuse(valueTooDeep) {
        let realm = try documents()
        let list = List<AnyRealmValue>()
        list.append(.list(list))
        try realm.write { realm.objects(Document.self)[0].parts.append(.list(list)) }
    },
    "an array that an object is created with": Misuse(valueTooDeep) {
        let realm = try documents()
        try realm.write { realm.create(Document.self, value: ["content": nestedArray()]) }
    },
    "a dictionary that an object is created with": Misuse(valueTooDeep) {
        let realm = try documents()
        try realm.write { realm.create(Document.self, value: ["content": nestedDictionary()]) }
    },
    "an array in a list that an object is created with": Misuse(valueTooDeep) {
        let realm = try documents()
        try realm.write { realm.create(Document.self, value: ["parts": [1, nestedArray()]]) }
    },
    "an array that an unmanaged object is made with": Misuse(valueTooDeep) {
        _ = Document(value: ["content": nestedArray()])
    },
    "a dictionary that is set by name": Misuse(valueTooDeep) {
        let realm = try documents()
        let document = realm.objects(Document.self)[0]
        try realm.write { document.setValue(nestedDictionary(), forKey: "content") }
    },
    "an array that a dynamic object is created with": Misuse(valueTooDeep) {
        let realm = try documents()
        try realm.write { realm.dynamicCreate("Document", value: ["content": nestedArray()]) }
    },
    "an array for a text": Misuse(
        "Invalid value '<Maximum depth exceeded>' of type 'Array<Any>' for 'string' property"
    ) { _ = Document(value: ["name": nestedArray()]) },
    "an array for a number": Misuse(
        "Invalid value '<Maximum depth exceeded>' of type 'Array<Any>' for 'int' property"
    ) { _ = Hero(value: ["age": nestedArray()]) },
    "an array for a list of objects": Misuse(
        "Invalid value '<Maximum depth exceeded>' of type 'Array<Any>' for"
    ) { _ = Hero(value: ["friends": [nestedArray()]]) },
    "an array that a text of a predicate compares with a number": Misuse(
        "%d takes a number, but the argument is '<Maximum depth exceeded>' of type 'Array<Any>'"
    ) { _ = try heroes().objects(Hero.self).filter("age == %d", nestedArray()) },
    "a list that an object is created with": Misuse(valueTooDeep) {
        let realm = try documents()
        try realm.write { realm.create(Document.self, value: ["content": nestedList()]) }
    },
    "a list that is set by name": Misuse(valueTooDeep) {
        let realm = try documents()
        try realm.write { realm.objects(Document.self)[0]["content"] = nestedList() }
    },
    "a list that a typed query compares": Misuse(valueTooDeep) {
        let value = nestedList()
        _ = try documents().objects(Document.self).where { $0.content == value }
    },
    "a map that a typed query looks for": Misuse(valueTooDeep) {
        let value = nestedMap()
        _ = try documents().objects(Document.self).where { $0.content.in([.int(1), value]) }
    },
    "an array as the argument of a text": Misuse(valueTooDeep) {
        _ = try documents().objects(Document.self).filter("content == %@", nestedArray())
    },
    "an array as the argument of an NSPredicate": Misuse(valueTooDeep) {
        // Not deeper, because Foundation visits the arguments by recursion.
        let predicate = NSPredicate(format: "content == %@", nestedArray(1_000))
        _ = try documents().objects(Document.self).filter(predicate)
    },
    "a list in an unmanaged list that is searched": Misuse(valueTooDeep) {
        let list = List<Document>()
        list.append(Document())
        list[0].content = nestedList()
        _ = list.index(matching: "content == 1")
    },
]

@Suite struct DeepNestingTrapTests {
    @Test(arguments: misuses.names) func stops(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name] in try misuses[name]?.body() }
        guard let result, let text = misuses[name]?.text else { return }
        let output = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(output.contains("Fatal error: \(text)"), "\(output.suffix(2_000))")
    }
}

@Suite struct DeepNestingTests {
    @Test func unmanagedValuesAreReleasedHoweverDeep() {
        weak var innermost: List<AnyRealmValue>?
        do {
            let list = List<AnyRealmValue>()
            innermost = list
            var value = AnyRealmValue.list(list)
            for level in 0..<levels {
                value =
                    level.isMultiple(of: 3)
                    ? .fromDictionary(["k": value, "l": .none]) : .fromArray([.int(1), value])
            }
        }
        #expect(innermost == nil)
    }

    /// 10,000 levels, because Swift's own release of 50,000 nested dictionaries would use most of a
    /// stack.
    @Test func objectsAreMadeOfDictionariesInsideEachOther() throws {
        let realm = try temporaryRealm(heroTypes)
        var value: [String: Any] = ["id": 0]
        for id in 1..<10_000 { value = ["id": id, "boss": value] }
        try realm.write { realm.create(Hero.self, value: value) }
        #expect(realm.objects(Hero.self).count == 10_000)
        #expect(realm.object(ofType: Hero.self, forPrimaryKey: 9_999)?.boss?.id == 9_998)
    }

    @Test func arraysAsDeepAsTheyMayBeAreStored() throws {
        let realm = try documents()
        try realm.write {
            realm.create(Document.self, value: ["name": "deep", "content": nestedArray(100)])
        }
        var here: AnyRealmValue? = realm.objects(Document.self).last?.content
        var depth = 0
        while let next = here?.listValue?.first {
            here = next
            depth += 1
        }
        #expect(depth == 100 && here == .int(1))
    }

    /// A list that is contained twice in each of ten enclosing lists is stored 1,024 times.
    @Test func aListInTwoPlacesIsStoredTwice() throws {
        var value = AnyRealmValue.fromArray([.int(1)])
        for _ in 0..<10 { value = .fromArray([value, value]) }
        let realm = try documents()
        let document = realm.objects(Document.self)[0]
        try realm.write { document.content = value }
        func innermost(_ path: Int) -> List<AnyRealmValue>? {
            var list = document.content.listValue
            for level in 0..<10 { list = list?[path >> level & 1].listValue }
            return list
        }
        try realm.write {
            for path in 0..<1_024 { innermost(path)?.append(.int(path)) }
        }
        for path in 0..<1_024 {
            #expect(innermost(path).map(Array.init) == [.int(1), .int(path)])
        }
    }

    @Test func whatIsStillInUseIsNotEmptied() throws {
        let kept: List<AnyRealmValue>
        do {
            var value = nestedList(100)
            let outer = try #require(value.listValue)
            kept = try #require(outer[0].listValue)
            value = .none
            outer.removeAll()
        }
        var depth = 0
        var here: AnyRealmValue? = .list(kept)
        while let next = here?.listValue?.first {
            here = next
            depth += 1
        }
        #expect(depth == 99 && here == .int(1))
    }

    @Test func unmanagedValuesAreComparedHoweverDeep() {
        #expect(nestedList() == nestedList())
        #expect(nestedMap() == nestedMap())
        #expect(nestedList() != nestedList(levels - 1))
        #expect(nestedList() != nestedMap())
        #expect(nestedList().hashValue == nestedList().hashValue)
        let (first, second) = (List<AnyRealmValue>(), List<AnyRealmValue>())
        first.append(.list(first))
        second.append(.list(second))
        #expect(first == second)
        second.append(.none)
        #expect(first != second)
        first.removeAll()
        second.removeAll()
    }

    @Test func unmanagedValuesAreDescribedHoweverDeep() {
        let list = List<AnyRealmValue>()
        list.append(nestedList())
        #expect(list.description.contains("<Maximum depth exceeded>"))
        #expect("\(nestedList())".contains("<Maximum depth exceeded>"))
    }

    @Test func chainsFromLeftToRightAreOneLevel() throws {
        let realm = try heroes()
        let heroes = realm.objects(Hero.self)
        let any = heroes.where { hero in
            (1...5_000).reduce(hero.age == 1) { $0 || hero.age == $1 + 10 }
        }
        #expect(any.count == 1)
        let all = heroes.where { hero in
            (1...5_000).reduce(hero.age == 1) { $0 && hero.age != $1 + 10 }
        }
        #expect(all.count == 1)
        let counted = heroes.where { hero in
            (1...300).reduce(hero.friends.age == 1) { $0 || hero.friends.age == $1 }.count == 0
        }
        #expect(counted.count == 3)
        let other = NSPredicate(format: "age == 7")
        var predicate = NSPredicate(format: "age == 1")
        for _ in 0..<1_000 {
            predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [predicate, other])
        }
        #expect(heroes.filter(predicate).count == 1)
        #expect(heroes.index(matching: predicate) == 1)
    }

    @Test func chainsOfFiftyThousandAreReleased() {
        let hero = Query<Hero>()
        var condition = hero.age == 1
        for age in 0..<levels { condition = condition || hero.age == age }
        let kept = condition
        condition = hero.age == 1
        #expect(kept._constructPredicate().1.count == levels + 1)
    }

    @Test func filtersOneAfterTheOtherAreOneLevel() throws {
        let realm = try heroes()
        var heroes = realm.objects(Hero.self).filter("age >= 0")
        for age in 0..<1_100 { heroes = heroes.filter("age != %@", age + 10) }
        #expect(heroes.count == 3)
    }

    @Test func theDeepestPredicateThatIsReadIsAnswered() throws {
        let heroes = try heroes().objects(Hero.self)
        var text = "age == 1"
        for _ in 0..<199 { text = "age == 5 OR age >= 0 AND NOT (\(text))" }
        #expect(heroes.filter(text).count == 2)
        #expect(heroes.filter(NSPredicate(format: text)).count == 2)
        let list = List<Hero>()
        list.append(Hero(value: ["id": 1, "age": 1]))
        #expect(list.index(matching: text) == nil)
        let nested = heroes.where { hero in
            (0..<199).reduce(hero.age == 1) { condition, _ in !condition }
        }
        #expect(nested.count == 2)
    }

    @Test func predicatesOfSwiftAreBounded() throws {
        func not<E: PredicateExpression<Bool>>(_ operand: E) -> any PredicateExpression<Bool> {
            PredicateExpressions.build_Negation(operand)
        }
        func or<E: PredicateExpression<Bool>>(_ first: E) -> any PredicateExpression<Bool> {
            PredicateExpressions.build_Disjunction(
                lhs: first, rhs: PredicateExpressions.build_Arg(false))
        }
        func translated<E: PredicateExpression<Bool>>(_ expression: E) throws -> PredicateSyntax {
            var translator = PredicateTranslator()
            return try translator.condition(expression)
        }
        var deep: any PredicateExpression<Bool> = PredicateExpressions.build_Arg(true)
        var long = deep
        for _ in 0..<300 {
            deep = not(deep)
            long = or(long)
        }
        let error = #expect(throws: InvalidPredicate.self) { _ = try translated(deep) }
        #expect(error?.message == predicateTooDeep)
        guard case .or(let operands) = try translated(long) else {
            Issue.record("The chain is no disjunction.")
            return
        }
        #expect(operands.count == 301)
    }

    @Test func keyPathsLeadThroughAHundredLinks() throws {
        let heroes = try heroes().objects(Hero.self)
        let boss = String(repeating: "boss.", count: 100)
        #expect(heroes.filter(boss + "age == nil").count == 3)
        let deep = String(repeating: "boss.", count: levels)
        let error = #expect(throws: InvalidPredicate.self) {
            try heroes._filtered(PredicateParser.parse(deep + "age == 1"), format: "")
        }
        #expect(error?.message == "A key path leads through more than 100 links")
    }
}
