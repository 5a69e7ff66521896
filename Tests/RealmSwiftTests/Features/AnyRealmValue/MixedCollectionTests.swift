import Foundation
import RealmSwift
import Testing
import ToolSupport

// Lists and maps in mixed values. Documented: "In version 10.51.0 and later, a AnyRealmValue data
// type can contain collections (a list or map, but not a set) of AnyRealmValue elements."

private func document(_ content: AnyRealmValue) throws -> (Realm, Document, TestDirectory) {
    let directory = TestDirectory.untilExit()
    let realm = try directory.realm([Document.self])
    let document = Document()
    document.content = content
    try realm.write { realm.add(document) }
    return (realm, document, directory)
}

@Suite struct MixedCollectionTests {
    @Test func managedCollectionsAreLive() throws {
        let (realm, document, _) = try document(.fromArray([.int(1), .fromArray([.int(2)])]))
        let list = try #require(document.content.listValue)
        let inner = try #require(list[1].listValue)
        #expect(list.realm == realm && inner.realm == realm)
        try realm.write {
            inner.append(.string("x"))
            list.insert(.bool(true), at: 0)
            inner.append(.string("y"))
        }
        #expect(Array(inner) == [.int(2), .string("x"), .string("y")])
        #expect(document.content.listValue?[2].listValue?.count == 3)
        #expect(document.content == .list(list))
    }

    @Test func mapsAreLive() throws {
        let (realm, document, directory) = try document(
            .fromDictionary(["a": .int(1), "b": .fromDictionary(["c": .none])]))
        let map = try #require(document.content.dictionaryValue)
        try realm.write {
            map["a"] = .fromArray([])
            map["a"]?.listValue?.append(.double(0.5))
            map["b"]?.dictionaryValue?["d"] = .string("e")
        }
        #expect(map["a"]?.listValue?[0] == .double(0.5))
        #expect(Set(map["b"]?.dictionaryValue?.keys ?? []) == ["c", "d"])
        let other = try Realm(configuration: directory.configuration([Document.self]))
        #expect(other.objects(Document.self).first?.content.dictionaryValue?.count == 2)
    }

    /// Documented: a nested collection that is removed or replaced is invalidated.
    @Test func replacedCollectionsAreInvalidated() throws {
        let (realm, document, _) = try document(.fromArray([.fromArray([.int(1)])]))
        let list = try #require(document.content.listValue)
        let inner = try #require(list[0].listValue)
        try realm.write { list[0] = .fromArray([.int(1)]) }
        #expect(inner.isInvalidated && !list.isInvalidated)
        try realm.write { document.content = .none }
        #expect(list.isInvalidated && document.content == .none)
        let (other, owner, _) = try MixedCollectionTests.documentOf(.fromDictionary([:]))
        let map = try #require(owner.content.dictionaryValue)
        try other.write { other.delete(owner) }
        #expect(map.isInvalidated)
    }

    private static func documentOf(
        _ content: AnyRealmValue
    ) throws -> (Realm, Document, TestDirectory) {
        try document(content)
    }

    @Test func selfAssignmentChangesNothing() throws {
        let (realm, document, _) = try document(.fromArray([.int(1), .fromArray([.int(2)])]))
        let list = try #require(document.content.listValue)
        try realm.write {
            document.content = document.content
            list[1] = list[1]
        }
        #expect(!list.isInvalidated && list.count == 2)
        #expect(list[1].listValue.map { Array($0) } == [.int(2)])
        try realm.write { document.content = list[1] }
        #expect(document.content.listValue.map { Array($0) } == [.int(2)] && list.isInvalidated)
    }

    @Test func elementsOfListsAndCopiesOfCollections() throws {
        let (realm, document, _) = try document(.none)
        try realm.write {
            document.parts.append(.fromArray([.int(1)]))
            document.parts.append(document.parts[0])
            document.content = document.parts[0]
            document.parts[0].listValue?.append(.int(2))
        }
        #expect(document.parts[0].listValue?.count == 2)
        #expect(document.parts[1].listValue?.count == 1)
        #expect(document.content.listValue?.count == 1)
        #expect(document.parts.map { $0.listValue?.count } == [2, 1])
        try realm.write { document.parts.move(from: 0, to: 1) }
        #expect(document.parts.map { $0.listValue?.count } == [1, 2])
    }

    /// Documented: "You can nest mixed collections up to 100 levels."
    @Test func nestsAHundredLevels() throws {
        var value = AnyRealmValue.string("end")
        for level in 0..<100 {
            value = level.isMultiple(of: 2) ? .fromArray([value]) : .fromDictionary(["k": value])
        }
        let (_, document, _) = try document(value)
        var here = document.content
        var depth = 0
        while let next = here.listValue?.first ?? here.dictionaryValue?["k"] {
            here = next
            depth += 1
        }
        #expect(depth == 100 && here == .string("end"))
    }

    @Test func aHundredAndFirstLevelStops() async {
        await #expect(processExitsWith: .failure) {
            var value = AnyRealmValue.none
            for _ in 0...100 { value = .fromArray([value]) }
            _ = try document(value)
        }
    }

    @Test func changesNeedAWriteTransaction() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (_, owner, directory) = try document(.fromArray([]))
            owner.content.listValue?.append(.int(1))
            _ = directory
        }
        expectStop("Cannot modify List outside of a write transaction.", result)
    }

    /// Makes random changes of a tree of lists and maps, and compares it with a model of plain
    /// enums.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func agreesWithAModel(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (realm, document, directory) = try document(.none)
        var model = Tree.leaf(0)
        for step in 0..<200 {
            try realm.write {
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    model.change(
                        &random, depth: 0, apply: { document.content = $0 },
                        at: { document.content })
                }
            }
            try #require(
                Tree(document.content) == model, "seed \(seed), step \(step)")
        }
        let other = try Realm(configuration: directory.configuration([Document.self]))
        #expect(other.objects(Document.self).first.map { Tree($0.content) } == model)
    }
}

/// A plain model of mixed values.
private indirect enum Tree: Equatable {
    case leaf(Int)
    case list([Tree])
    case map([String: Tree])

    init(_ value: AnyRealmValue) {
        switch value {
        case .list(let list): self = .list(list.map(Tree.init))
        case .dictionary(let map):
            self = .map(
                Dictionary(
                    uniqueKeysWithValues: map.asKeyValueSequence().map {
                        ($0.key, Tree($0.value))
                    }))
        case .int(let value): self = .leaf(value)
        default: self = .leaf(0)
        }
    }

    var value: AnyRealmValue {
        switch self {
        case .leaf(0): .none
        case .leaf(let value): .int(value)
        case .list(let elements): .fromArray(elements.map(\.value))
        case .map(let entries): .fromDictionary(entries.mapValues(\.value))
        }
    }

    static func random(_ random: inout SeededGenerator, depth: Int) -> Tree {
        let count = Int.random(in: 0...3, using: &random)
        switch depth > 4 ? 0 : Int.random(in: 0..<4, using: &random) {
        case 1: return .list((0..<count).map { _ in .random(&random, depth: depth + 1) })
        case 2:
            return .map(
                Dictionary(
                    (0..<count).map { ("k\($0)", .random(&random, depth: depth + 1)) },
                    uniquingKeysWith: { $1 }))
        default: return .leaf(Int.random(in: 0..<1000, using: &random))
        }
    }

    /// Makes one change somewhere in the tree, and the same change in the stored value.
    mutating func change(
        _ random: inout SeededGenerator, depth: Int, apply: (AnyRealmValue) -> Void,
        at stored: () -> AnyRealmValue
    ) {
        let choice = Int.random(in: 0..<10, using: &random)
        switch self {
        case .list(var elements) where choice > 1:
            guard let list = stored().listValue else { return }
            if choice < 4 || elements.isEmpty {
                let new = Tree.random(&random, depth: depth)
                let position = Int.random(in: 0...elements.count, using: &random)
                elements.insert(new, at: position)
                list.insert(new.value, at: position)
            } else if choice == 4 {
                let position = Int.random(in: 0..<elements.count, using: &random)
                elements.remove(at: position)
                list.remove(at: position)
            } else {
                let position = Int.random(in: 0..<elements.count, using: &random)
                elements[position].change(
                    &random, depth: depth + 1, apply: { list[position] = $0 },
                    at: { list[position] })
            }
            self = .list(elements)
        case .map(var entries) where choice > 1:
            guard let map = stored().dictionaryValue else { return }
            let key = "k\(Int.random(in: 0..<5, using: &random))"
            if choice < 4 || entries[key] == nil {
                let new = Tree.random(&random, depth: depth)
                entries[key] = new
                map[key] = new.value
            } else if choice == 4 {
                entries[key] = nil
                map[key] = nil
            } else {
                entries[key]?.change(
                    &random, depth: depth + 1, apply: { map[key] = $0 },
                    at: { map[key] ?? .none })
            }
            self = .map(entries)
        default:
            self = .random(&random, depth: depth)
            apply(value)
        }
    }
}
