import Foundation
import RealmSwift
import StressModel

/// Write transactions through the object API, drawn from a seed. They read what they change.
struct StockTransactions {
    let seed: UInt64

    /// Upper bound (exclusive) of the identifiers.
    private static let identifiers = 24

    /// Opens a file with the classes of this workload.
    static func open(_ path: String, _ key: [UInt8]?) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: path), encryptionKey: key.map { Data($0) },
                objectTypes: [StockItem.self, StockLabel.self]))
    }

    /// Returns all objects of a Realm as one text.
    static func contents(of realm: Realm) -> String {
        realm.objects(StockItem.self).map(\.contents).joined(separator: "\n")
    }

    /// Makes the changes of a transaction, and returns the objects that it used.
    func change(_ realm: Realm, step: Int) -> [StockItem] {
        var random = RepeatableRandom(seed: seed, part: UInt64(step))
        var used: [StockItem] = []
        for _ in 0..<6 + random.below(10) {
            let id = random.below(Self.identifiers)
            if let item = realm.object(ofType: StockItem.self, forPrimaryKey: id) {
                change(item, realm, &random)
                used.append(item)
            } else {
                let item = makeItem(id, &random)
                realm.add(item, update: .modified)
                used.append(item)
            }
            if random.isOne(in: 3) { Self.query(realm) }
        }
        return used
    }

    private func makeItem(_ id: Int, _ random: inout RepeatableRandom) -> StockItem {
        let item = StockItem()
        item.id = id
        item.name = "item \(random.below(9))"
        item.price = random.isOne(in: 4) ? nil : random.below(50)
        item.text = text(&random)
        item.any = .fromArray([.int(id), .fromDictionary(["key": .string(text(&random))])])
        item.label = StockLabel(value: ["text": "label", "colors": ["red", "blue"]])
        item.labels.append(StockLabel(value: ["text": "part"]))
        item.numbers.append(objectsIn: 0..<random.below(200))
        item.words.insert(objectsIn: (0..<random.below(30)).map { "word \($0)" })
        item.texts["key"] = text(&random)
        return item
    }

    private func text(_ random: inout RepeatableRandom) -> String {
        String(repeating: "x", count: random.isOne(in: 4) ? random.below(20_000) : 60)
    }

    private func change(
        _ item: StockItem, _ realm: Realm, _ random: inout RepeatableRandom
    ) {
        let other = realm.objects(StockItem.self).first
        switch random.below(12) {
        case 0: item.text = text(&random)
        case 1: (item.name, item.price) = ("item \(random.below(9))", random.below(50))
        case 2: item.numbers.append(objectsIn: 0..<random.below(300))
        case 3: item.words.insert(objectsIn: (0..<20).map { _ in "word \(random.below(99))" })
        case 4: item.texts["key \(random.below(20))"] = text(&random)
        case 5:
            let value = AnyRealmValue.string(text(&random))
            item.any = .fromDictionary(["text": value, "list": .fromArray([.int(1)])])
            item.any.dictionaryValue?["more"] = value
        case 6:
            item.label = StockLabel(value: ["text": text(&random)])
            item.labels.append(StockLabel(value: ["text": "another", "colors": ["green"]]))
        case 7: (item.next, item.itemMap["key \(random.below(9))"]) = (other, other)
        case 8: item.items.append(objectsIn: realm.objects(StockItem.self))
        case 9: item.itemSet.insert(objectsIn: realm.objects(StockItem.self).filter("price > 20"))
        case 10:
            realm.create(
                StockItem.self, value: ["id": item.id, "texts": ["a": text(&random)]],
                update: .modified)
        default: random.isOne(in: 3) ? realm.delete(item) : item.numbers.removeAll()
        }
    }

    private static func query(_ realm: Realm) {
        let items = realm.objects(StockItem.self)
        _ = (items.count, items.first?.id, items.last?.name, items.isEmpty)
        _ = (items.filter("name == 'item 3'").count, items.where { $0.price > 20 }.count)
        _ = items.filter("price == nil").sorted(byKeyPath: "name").map(\.id).count
        _ = Array(items.sorted(byKeyPath: "price").map(\.id))
        _ = (items.sum(ofProperty: "price") as Int, items.value(forKey: "name"))
    }

    // MARK: Failing

    /// Carries out a transaction. Returns the error that it failed with, or nil.
    ///
    /// - Throws: a ``Finding`` if a failed transaction leaves a visible change, inside the block or
    ///   afterwards. Errors other than ``Realm/Error`` are rethrown.
    func run(_ step: Int, on realm: Realm) throws -> Realm.Error? {
        let before = Self.contents(of: realm)
        var finding: Finding?
        do {
            try realm.write {
                let used = change(realm, step: step)
                // After a failure `add` has no effect: an object that stays unmanaged shows that
                // the transaction has failed.
                let probe = StockItem()
                probe.id = Self.identifiers
                realm.add(probe)
                guard probe.realm == nil else { return realm.delete(probe) }
                finding = useFailed(realm, used, step, before)
            }
        } catch let error as Realm.Error {
            if finding == nil, Self.contents(of: realm) != before {
                finding = Finding(.wrongState, "after a failed transaction something else is read.")
            }
            if realm.isInWriteTransaction {
                finding = Finding(.wrongError, "the transaction goes on after \(error).")
            }
            if let finding { throw finding }
            return error
        }
        if let finding { throw finding }
        return nil
    }

    /// Reads, and tries to change, the Realm in a transaction that has failed.
    private func useFailed(
        _ realm: Realm, _ used: [StockItem], _ step: Int, _ before: String
    ) -> Finding? {
        guard Self.contents(of: realm) == before else {
            return Finding(.wrongState, "a failed transaction does not read what was there before.")
        }
        for item in used { item.use() }
        Self.query(realm)
        _ = change(realm, step: step + 1)
        guard Self.contents(of: realm) == before else {
            return Finding(.wrongState, "a failed transaction went on changing something.")
        }
        return nil
    }
}
