import Foundation
import RealmSwift

// Model classes for the tests of collections.

class Shelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var items: List<ShelfItem>
    @Persisted var itemSet: MutableSet<ShelfItem>
    @Persisted var itemMap: Map<String, ShelfItem?>
    @Persisted var best: ShelfItem?
    @Persisted var parts: List<ShelfPart>
    @Persisted var partMap: Map<String, ShelfPart?>

    @Persisted var ints: List<Int>
    @Persisted var optionalDoubles: List<Double?>
    @Persisted var dates: List<Date>
    @Persisted var strings: List<String>

    @Persisted var boolSet: MutableSet<Bool>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var int8Set: MutableSet<Int8>
    @Persisted var floatSet: MutableSet<Float>
    @Persisted var doubleSet: MutableSet<Double?>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var optionalStringSet: MutableSet<String?>
    @Persisted var dataSet: MutableSet<Data>
    @Persisted var dateSet: MutableSet<Date>
    @Persisted var uuidSet: MutableSet<UUID>
    @Persisted var objectIdSet: MutableSet<ObjectId>
    @Persisted var decimalSet: MutableSet<Decimal128>

    @Persisted var boolMap: Map<String, Bool>
    @Persisted var intMap: Map<String, Int>
    @Persisted var optionalIntMap: Map<String, Int?>
    @Persisted var doubleMap: Map<String, Double>
    @Persisted var stringMap: Map<String, String>
    @Persisted var optionalStringMap: Map<String, String?>
    @Persisted var dataMap: Map<String, Data>
    @Persisted var dateMap: Map<String, Date>
    @Persisted var uuidMap: Map<String, UUID>
    @Persisted var objectIdMap: Map<String, ObjectId>
    @Persisted var decimalMap: Map<String, Decimal128>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ShelfItem: Object {
    @Persisted var name: String
    @Persisted var count: Int
    @Persisted var price: Double?
    @Persisted var weight: Float
    @Persisted var made = Date(timeIntervalSinceReferenceDate: 0)
    @Persisted var cost: Decimal128
    @Persisted var tags: List<String>
    @Persisted var next: ShelfItem?
    @Persisted(originProperty: "items") var shelves: LinkingObjects<Shelf>
    @Persisted(originProperty: "itemSet") var shelvesBySet: LinkingObjects<Shelf>
    @Persisted(originProperty: "itemMap") var shelvesByMap: LinkingObjects<Shelf>
    @Persisted(originProperty: "best") var shelvesByBest: LinkingObjects<Shelf>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ShelfPart: EmbeddedObject {
    @Persisted var name: String
    @Persisted var size: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

let shelfTypes: [ObjectBase.Type] = [Shelf.self, ShelfItem.self, ShelfPart.self]

extension Realm {
    /// Adds a shelf with an item for each count.
    func addShelf(id: Int = 1, counts: [Int] = []) throws -> Shelf {
        try write {
            let items = counts.map { ["name": "item \($0)", "count": $0] as [String: Any] }
            return create(Shelf.self, value: ["id": id, "items": items])
        }
    }
}
