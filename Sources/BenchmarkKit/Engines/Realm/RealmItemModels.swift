import Foundation
import RealmSwift

// The models of this file are not part of default schemas. The Realm files here name their classes,
// and a program that links this module may have classes of the same names.

/// The common requirements of the item classes.
protocol ItemObject: Object {
    static var width: ItemWidth { get }
    /// Creates an object from as many values as the class has groups.
    init(_ items: ArraySlice<ItemValues>)
    var items: [ItemValues] { get }
    var count: Int { get set }
}

final class ThreePropertyItem: Object, ItemObject {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }
    static var width: ItemWidth { .three }

    @Persisted var name: String
    @Persisted var count: Int
    @Persisted var made: Date

    convenience init(_ items: ArraySlice<ItemValues>) {
        self.init()
        let item = items[items.startIndex]
        name = item.name
        count = item.count
        made = item.madeAsDate
    }

    var items: [ItemValues] {
        [ItemValues(name: name, count: count, made: Int(made.timeIntervalSince1970))]
    }
}

final class TenPropertyItem: Object, ItemObject {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }
    static var width: ItemWidth { .ten }

    @Persisted var name: String
    @Persisted var count: Int
    @Persisted var made: Date
    @Persisted var price: Double
    @Persisted var isActive: Bool
    @Persisted var code: String
    @Persisted var weight: Float
    @Persisted var rating: Int?
    @Persisted var note: String?
    @Persisted var changed: Date

    convenience init(_ items: ArraySlice<ItemValues>) {
        self.init()
        let item = items[items.startIndex]
        name = item.name
        count = item.count
        made = item.madeAsDate
        price = item.price
        isActive = item.isActive
        code = item.code
        weight = item.weight
        rating = item.rating
        note = item.note
        changed = item.changedAsDate
    }

    var items: [ItemValues] {
        [
            ItemValues(
                name: name, count: count, made: Int(made.timeIntervalSince1970), price: price,
                isActive: isActive, code: code, weight: weight, rating: rating, note: note,
                changed: Int(changed.timeIntervalSince1970))
        ]
    }
}

/// The ten properties of ``TenPropertyItem``, three times.
final class ThirtyPropertyItem: Object, ItemObject {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }
    static var width: ItemWidth { .thirty }

    @Persisted var name: String
    @Persisted var count: Int
    @Persisted var made: Date
    @Persisted var price: Double
    @Persisted var isActive: Bool
    @Persisted var code: String
    @Persisted var weight: Float
    @Persisted var rating: Int?
    @Persisted var note: String?
    @Persisted var changed: Date

    @Persisted var name2: String
    @Persisted var count2: Int
    @Persisted var made2: Date
    @Persisted var price2: Double
    @Persisted var isActive2: Bool
    @Persisted var code2: String
    @Persisted var weight2: Float
    @Persisted var rating2: Int?
    @Persisted var note2: String?
    @Persisted var changed2: Date

    @Persisted var name3: String
    @Persisted var count3: Int
    @Persisted var made3: Date
    @Persisted var price3: Double
    @Persisted var isActive3: Bool
    @Persisted var code3: String
    @Persisted var weight3: Float
    @Persisted var rating3: Int?
    @Persisted var note3: String?
    @Persisted var changed3: Date

    convenience init(_ items: ArraySlice<ItemValues>) {
        self.init()
        let first = items[items.startIndex]
        name = first.name
        count = first.count
        made = first.madeAsDate
        price = first.price
        isActive = first.isActive
        code = first.code
        weight = first.weight
        rating = first.rating
        note = first.note
        changed = first.changedAsDate
        let second = items[items.startIndex + 1]
        name2 = second.name
        count2 = second.count
        made2 = second.madeAsDate
        price2 = second.price
        isActive2 = second.isActive
        code2 = second.code
        weight2 = second.weight
        rating2 = second.rating
        note2 = second.note
        changed2 = second.changedAsDate
        let third = items[items.startIndex + 2]
        name3 = third.name
        count3 = third.count
        made3 = third.madeAsDate
        price3 = third.price
        isActive3 = third.isActive
        code3 = third.code
        weight3 = third.weight
        rating3 = third.rating
        note3 = third.note
        changed3 = third.changedAsDate
    }

    var items: [ItemValues] {
        [
            ItemValues(
                name: name, count: count, made: Int(made.timeIntervalSince1970), price: price,
                isActive: isActive, code: code, weight: weight, rating: rating, note: note,
                changed: Int(changed.timeIntervalSince1970)),
            ItemValues(
                name: name2, count: count2, made: Int(made2.timeIntervalSince1970),
                price: price2, isActive: isActive2, code: code2, weight: weight2,
                rating: rating2, note: note2, changed: Int(changed2.timeIntervalSince1970)),
            ItemValues(
                name: name3, count: count3, made: Int(made3.timeIntervalSince1970),
                price: price3, isActive: isActive3, code: code3, weight: weight3,
                rating: rating3, note: note3, changed: Int(changed3.timeIntervalSince1970)),
        ]
    }
}

extension ItemValues {
    public var madeAsDate: Date { Date(timeIntervalSince1970: Double(made)) }
    public var changedAsDate: Date { Date(timeIntervalSince1970: Double(changed)) }
}
