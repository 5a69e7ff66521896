import Foundation
import Glibc
import RealmSwift
import StorageEngine
import Testing

/// A class with a property of each kind.
private class Ware: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted(indexed: true) var price: Int?
    @Persisted var text: String
    @Persisted var kind: WareKind
    @Persisted var any: AnyRealmValue
    @Persisted var next: Ware?
    @Persisted var label: WareLabel?
    @Persisted var labels: List<WareLabel>
    @Persisted var wares: List<Ware>
    @Persisted var wareSet: MutableSet<Ware>
    @Persisted var wareMap: Map<String, Ware?>
    @Persisted var numbers: List<Int>
    @Persisted var kinds: List<WareKind>
    @Persisted var words: MutableSet<String>
    @Persisted var texts: Map<String, String>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted(originProperty: "wares") var holders: LinkingObjects<Ware>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class WareLabel: EmbeddedObject {
    @Persisted var text: String
    @Persisted var colors: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// No case has the raw value 0, the raw value read from an absent object.
private enum WareKind: Int, PersistableEnum {
    case small = 3
    case large = 4
}

private func ware(_ id: Int, _ size: Int = 40) -> Ware {
    let ware = Ware()
    ware.id = id
    ware.name = "ware \(id)"
    ware.price = id % 3 == 0 ? nil : id * 7
    ware.text = String(repeating: "t", count: size)
    ware.any = .string(String(repeating: "a", count: size / 2))
    ware.label = WareLabel(value: ["text": "label \(id)", "colors": ["red", "blue"]])
    ware.labels.append(WareLabel(value: ["text": "part \(id)"]))
    ware.numbers.append(objectsIn: 0..<size / 4)
    ware.kinds.append(objectsIn: [.small, .large])
    ware.words.insert(objectsIn: (0..<4).map { "word \($0) of \(id)" })
    ware.texts["key"] = String(repeating: "v", count: size)
    ware.anys.append(objectsIn: [.int(1), .fromArray([.int(2), .fromDictionary(["k": .int(3)])])])
    return ware
}

/// Returns all readable values of a ware as one text. An absent ware gives defaults.
private func text(of ware: Ware) -> String {
    var parts: [String] = ["\(ware.id) \(ware.name) \(ware.price ?? -1) \(ware.text.count)"]
    parts.append("\(ware.kind) \(text(of: ware.any)) \(ware.next?.id ?? -1)")
    parts.append(ware.label.map { "\($0.text) \(Array($0.colors))" } ?? "-")
    parts.append(ware.labels.map(\.text).joined(separator: ","))
    parts.append("\(Array(ware.wares.map(\.id))) \(Array(ware.wareSet.map(\.id)))")
    parts.append(ware.wareMap.map { "\($0.key):\($0.value?.id ?? -1)" }.joined(separator: ","))
    parts.append("\(Array(ware.numbers)) \(Array(ware.kinds)) \(Array(ware.words))")
    parts.append(ware.texts.map { "\($0.key):\($0.value.count)" }.joined(separator: ","))
    parts.append(ware.anys.map(text(of:)).joined(separator: ","))
    parts.append("\(Array(ware.holders.map(\.id)))")
    return parts.joined(separator: " | ")
}

private func text(of value: AnyRealmValue) -> String {
    switch value {
    case .list(let list): "[\(list.map(text(of:)).joined(separator: ","))]"
    case .dictionary(let map):
        "{\(map.map { "\($0.key):\(text(of: $0.value))" }.joined(separator: ","))}"
    case .object(let object): "#\((object as? Ware)?.id ?? -1)"
    default: "\(value)"
    }
}

private func text(of realm: Realm) -> String {
    realm.objects(Ware.self).map { text(of: $0) }.joined(separator: "\n")
}

/// Uses a ware in all ways that also work on one without values.
private func use(_ ware: Ware) {
    _ = text(of: ware)
    _ = (ware.description, ware.isInvalidated, ware.value(forKey: "name"), ware["price"])
    _ = (ware.numbers.count, ware.numbers.first, ware.numbers.last, ware.numbers.index(of: 3))
    _ = (ware.numbers.sum() as Int, ware.numbers.max() as Int?, ware.words.contains("x"))
    _ = (ware.texts["key"], ware.texts.keys, ware.texts.values, ware.wareMap["a"])
    _ = (ware.wares.filter("price > 3").count, ware.wares.sorted(byKeyPath: "name").first?.id)
    _ = (ware.wares.where { $0.id > 2 }.count, ware.numbers.sorted().count, ware.holders.count)
    _ = (ware.wares.sum(ofProperty: "price") as Int, ware.wareSet.isSubset(of: ware.wareSet))
    _ = (ware.wareSet.intersects(ware.wareSet), ware.labels.count, ware.anys.first)
}

/// Uses positions that the failed transaction may have removed.
private func usePositions(of ware: Ware, in realm: Realm) {
    _ = (ware.numbers[500], ware.kinds[500], ware.wares[500].name, ware.anys[500])
    _ = (ware.words[500], ware.wareSet[500].id, ware.labels[500].text, ware.holders[500].id)
    _ = (realm.objects(Ware.self)[500].text, realm.objects(Ware.self).filter("id > 1")[500].id)
    _ = (ware.numbers[10..<20].map { $0 }, realm.objects(Ware.self).sorted(byKeyPath: "id")[99].id)
}

private func query(_ realm: Realm) {
    let wares = realm.objects(Ware.self)
    _ = (wares.count, wares.first?.id, wares.last?.id, wares.isEmpty, realm.isEmpty)
    _ = (wares.filter("name == 'ware 3'").count, wares.where { $0.price > 20 }.count)
    _ = wares.filter("price == nil").sorted(byKeyPath: "name").map(\.id)
    _ = wares.sorted(byKeyPath: "price").map(\.id)
    _ = wares.filter("ANY wares.id == 1 OR next.name BEGINSWITH 'w'").map(\.id)
    _ = (wares.sum(ofProperty: "price") as Int, wares.max(ofProperty: "price") as Int?)
    _ = (wares.distinct(by: ["name"]).count, wares.value(forKey: "name"))
    _ = realm.object(ofType: Ware.self, forPrimaryKey: 1)?.id
    _ = wares.sectioned(by: \Ware.kind).map { $0.count }
}

/// The changes of a transaction. Returns the objects that it made or changed.
private typealias Changes = @Sendable (Realm) -> [Ware]

private let changes: [(name: String, changes: Changes)] = [
    (
        "adding",
        { realm in
            let wares = (100..<130).map { ware($0, $0) }
            for (index, ware) in wares.enumerated() {
                ware.next = index > 0 ? wares[index - 1] : nil
                ware.wares.append(objectsIn: wares[0..<index / 2])
                ware.wareMap["a"] = wares[index / 2]
                realm.add(ware)
                if index % 5 == 0 { query(realm) }
            }
            return wares
        }
    ),
    (
        "updating",
        { realm in
            (0..<12).map { id in
                let values: [String: Any] = [
                    "id": id, "name": "new \(id)", "price": id, "numbers": Array(0..<id * 20),
                    "texts": ["key": String(repeating: "n", count: 900), "other": "x"],
                    "words": ["one", "two"], "label": ["text": "new", "colors": ["c"]],
                    "labels": [["text": "a"], ["text": "b"]], "wares": [["id": 300 + id]],
                ]
                let policy: Realm.UpdatePolicy = id % 2 == 0 ? .modified : .all
                return realm.create(Ware.self, value: values, update: policy)
            }
        }
    ),
    (
        "growing values",
        { realm in
            let wares = Array(realm.objects(Ware.self))
            for size in stride(from: 100, to: 9000, by: 700) {
                for ware in wares {
                    ware.text = String(repeating: "g", count: size)
                    ware.any = .string(String(repeating: "a", count: size / 3))
                    ware.name = "name \(size) \(ware.id)"
                    ware.price = size
                    ware.label?.text += "longer"
                    ware.kind = .large
                }
                _ = realm.objects(Ware.self).filter("price > 300").count
            }
            return wares
        }
    ),
    (
        "collections",
        { realm in
            let wares = Array(realm.objects(Ware.self))
            for round in 0..<40 {
                let ware = wares[round % wares.count]
                ware.numbers.append(objectsIn: 0..<round * 5)
                ware.numbers.insert(7, at: 3)
                ware.numbers.move(from: 3, to: 0)
                ware.numbers.remove(at: 0)
                ware.kinds.append(.small)
                ware.words.insert("another \(round)")
                ware.texts["k\(round)"] = String(repeating: "v", count: 40 * round)
                ware.wares.append(objectsIn: wares)
                ware.wareSet.insert(objectsIn: wares)
                ware.wareSet.formUnion(wares[1].wareSet)
                ware.wareMap["w\(round)"] = wares[0]
                ware.anys.append(.fromArray([.int(round), .fromDictionary(["a": .int(1)])]))
                ware.any = .fromDictionary(["list": .fromArray([.object(ware)])])
                ware.any.dictionaryValue?["more"] = .string("more")
                ware.labels.append(WareLabel(value: ["text": "l\(round)"]))
                ware.label = WareLabel(value: ["text": "replaced"])
                ware.wares.swapAt(0, ware.wares.count - 1)
            }
            return wares
        }
    ),
    (
        "deleting",
        { realm in
            let wares = Array(realm.objects(Ware.self))
            for ware in wares { ware.wares.append(objectsIn: wares) }
            realm.delete(wares[1])
            realm.delete(realm.objects(Ware.self).filter("id > 8"))
            realm.delete(wares[2].wares)
            query(realm)
            realm.add(ware(500, 3000))
            realm.deleteAll()
            realm.add(ware(501, 3000))
            return []
        }
    ),
    (
        "setting by name",
        { realm in
            let wares = Array(realm.objects(Ware.self))
            realm.objects(Ware.self).setValue(String(repeating: "s", count: 700), forKey: "text")
            for ware in wares {
                ware["price"] = 11
                ware.setValue("by name", forKey: "name")
                ware.setValue(["a": "b"], forKey: "texts")
                _ = realm.objects(Ware.self).filter("name == 'by name'").count
                realm.dynamicObjects("Ware").first?["text"] = String(repeating: "d", count: 2000)
            }
            return wares
        }
    ),
]

@Suite final class FailedTransactionTests {
    private let directory = TestDirectory()
    private let interceptor: SystemInterceptor

    init() {
        interceptor = SystemInterceptor(scope: .files(pathPrefix: directory.url.path))
        // Installed before the file is opened, so that the interceptor knows its descriptor.
        interceptor.install()
    }

    deinit { interceptor.uninstall() }

    private func filledRealm(key: Data? = nil) throws -> Realm {
        var configuration = directory.configuration([Ware.self, WareLabel.self])
        configuration.encryptionKey = key
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let wares = (0..<12).map { ware($0) }
            for (index, ware) in wares.enumerated() {
                ware.next = wares[(index + 1) % wares.count]
                ware.wares.append(objectsIn: wares[0..<index / 3])
                ware.wareSet.insert(wares[index / 2])
            }
            realm.add(wares)
        }
        return realm
    }

    /// Fails each request for pages that the changes make, one at a time, and uses everything
    /// afterwards.
    private func sweep(_ name: String, _ changes: Changes, realm: Realm) throws {
        let before = text(of: realm)
        let known = Array(realm.objects(Ware.self))
        // Tries each of the first requests, then larger and larger steps.
        for ordinal in sequence(first: 1, next: { $0 + max(1, $0 / 6) }) {
            interceptor.setFaults([
                SystemCallFault(.failForever(errno: ENOSPC), call: .takePages, ordinal: ordinal)
            ])
            var isOver = false
            do {
                try realm.write {
                    let made = changes(realm)
                    let canary = ware(9999)
                    realm.add(canary)
                    if canary.realm != nil {
                        isOver = true
                        return realm.cancelWrite()
                    }
                    #expect(text(of: realm) == before, "\(name), page \(ordinal)")
                    for ware in made + known { use(ware) }
                    for ware in made.prefix(3) + known.prefix(3) where ware.realm != nil {
                        usePositions(of: ware, in: realm)
                    }
                    query(realm)
                    // None of these changes has an effect, because the transaction has failed.
                    _ = changes(realm)
                    for ware in made { realm.delete(ware) }
                    for ware in made { realm.add(ware, update: .all) }
                    #expect(text(of: realm) == before, "\(name), page \(ordinal), repeated")
                }
            } catch {
                #expect(error as? Realm.Error == Realm.Error(.outOfDiskSpace))
            }
            interceptor.setFaults([])
            #expect(!realm.isInWriteTransaction)
            #expect(text(of: realm) == before, "\(name), after page \(ordinal)")
            if isOver {
                #expect(ordinal > 10, "\(name) takes hardly any pages")
                break
            }
        }
        try realm.write { realm.add(ware(1000)) }
        #expect(realm.objects(Ware.self).count == 13)
    }

    @Test("A transaction that fails anywhere reads as if it had done nothing", arguments: 0..<6)
    func failingAnywhere(index: Int) throws {
        let (name, changes) = changes[index]
        try sweep(name, changes, realm: filledRealm())
    }

    @Test("So does one on an encrypted file", arguments: [0, 3])
    func failingAnywhereEncrypted(index: Int) throws {
        let (name, changes) = changes[index]
        try sweep(name, changes, realm: filledRealm(key: Data(repeating: 7, count: 64)))
    }
}
