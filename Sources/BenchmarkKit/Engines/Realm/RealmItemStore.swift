import Foundation
@_spi(Measurement) import RealmSwift
import StorageEngine

/// A store of objects with an open Realm.
protocol RealmObjectStore: ObjectStore {
    var realm: Realm { get }
    var path: String { get }
}

extension RealmObjectStore {
    var lastCommit: CommitCost? { realm.lastCommitStatistics.map(CommitCost.init) }

    // The public API does not report these figures; the database underneath, which the Realm keeps
    // open, does.

    func size() throws -> StoreSize {
        StoreSize(try Database.open(path: path, options: .ofCase).statistics())
    }

    func problems() throws -> [String] {
        try Connection(Database.open(path: path, options: .ofCase)).verify()
    }
}

/// The objects of one of the item classes.
final class RealmItemStore<Item: ItemObject>: ItemStore, RealmObjectStore {
    let realm: Realm
    let path: String

    init(path: String, _ durability: Durability) throws {
        self.path = path
        realm = try Realm(
            configuration: Realm.Configuration(path: path, durability, objectTypes: [Item.self]))
    }

    func add(_ items: ArraySlice<ItemValues>) throws {
        // The switch lets the compiler specialise the initializer for each class; code generic over
        // `Item` would not be specialised.
        try realm.write {
            switch Item.width {
            case .three: Self.add(items, ThreePropertyItem.self, to: realm)
            case .ten: Self.add(items, TenPropertyItem.self, to: realm)
            case .thirty: Self.add(items, ThirtyPropertyItem.self, to: realm)
            }
        }
    }

    @inline(__always)
    private static func add<Added: ItemObject>(
        _ items: ArraySlice<ItemValues>, _ type: Added.Type, to realm: Realm
    ) {
        let groups = type.width.groups
        for first in stride(from: items.startIndex, to: items.endIndex, by: groups) {
            realm.add(Added(items[first..<first + groups]))
        }
    }

    func dictionary(of items: ArraySlice<ItemValues>) -> [String: Any] {
        var dictionary: [String: Any] = [:]
        for (group, item) in items.enumerated() {
            let suffix = group == 0 ? "" : String(group + 1)
            dictionary["name" + suffix] = item.name
            dictionary["count" + suffix] = item.count
            dictionary["made" + suffix] = item.madeAsDate
            guard Item.width != .three else { continue }
            dictionary["price" + suffix] = item.price
            dictionary["isActive" + suffix] = item.isActive
            dictionary["code" + suffix] = item.code
            dictionary["weight" + suffix] = item.weight
            dictionary["rating" + suffix] = item.rating
            dictionary["note" + suffix] = item.note
            dictionary["changed" + suffix] = item.changedAsDate
        }
        return dictionary
    }

    func create(from dictionaries: ArraySlice<[String: Any]>) throws {
        try realm.write {
            for dictionary in dictionaries { realm.create(Item.self, value: dictionary) }
        }
    }

    func forEach(_ body: (ItemValues) -> Void) {
        for item in realm.objects(Item.self) { item.items.forEach(body) }
    }
}
