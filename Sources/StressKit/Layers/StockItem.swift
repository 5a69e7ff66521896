import Foundation
import RealmSwift

// The classes of the object API workload. Together they have a property of each kind.

final class StockItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted(indexed: true) var price: Int?
    @Persisted var text: String
    @Persisted var any: AnyRealmValue
    @Persisted var next: StockItem?
    @Persisted var label: StockLabel?
    @Persisted var labels: List<StockLabel>
    @Persisted var items: List<StockItem>
    @Persisted var itemSet: MutableSet<StockItem>
    @Persisted var itemMap: Map<String, StockItem?>
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var texts: Map<String, String>
    @Persisted(originProperty: "items") var holders: LinkingObjects<StockItem>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class StockLabel: EmbeddedObject {
    @Persisted var text: String
    @Persisted var colors: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension StockItem {
    /// All readable values of the item as one text.
    var contents: String {
        var parts = ["\(id) \(name) \(price ?? -1) \(text.count)"]
        parts.append("\(describe(any)) \(next?.id ?? -1)")
        parts.append(label.map { "\($0.text) \(Array($0.colors))" } ?? "-")
        parts.append(labels.map(\.text).joined(separator: ","))
        parts.append("\(Array(items.map(\.id))) \(Array(itemSet.map(\.id)))")
        parts.append(itemMap.map { "\($0.key):\($0.value?.id ?? -1)" }.joined(separator: ","))
        parts.append("\(Array(numbers)) \(Array(words)) \(Array(holders.map(\.id)))")
        parts.append(texts.map { "\($0.key):\($0.value.count)" }.joined(separator: ","))
        return parts.joined(separator: " | ")
    }

    private func describe(_ value: AnyRealmValue) -> String {
        if let text = value.stringValue { return "\(text.count) characters" }
        switch value {
        case .list(let list): return "[\(list.map(describe).joined(separator: ","))]"
        case .dictionary(let map):
            return "{\(map.map { "\($0.key):\(describe($0.value))" }.joined(separator: ","))}"
        case .object(let object): return "#\((object as? StockItem)?.id ?? -1)"
        default: return "\(value)"
        }
    }

    /// Reads the item in ways that also work on an item without values.
    func use() {
        _ = (contents, isInvalidated, value(forKey: "name"), self["price"])
        _ = (numbers.first, numbers.last, numbers.index(of: 3), words.contains("word"))
        _ = (numbers.sum() as Int, numbers.max() as Int?, texts["key"], itemMap["key"])
        _ = (items.filter("price > 3").count, items.sorted(byKeyPath: "name").first?.id)
        _ = (items.sum(ofProperty: "price") as Int, itemSet.isSubset(of: itemSet), holders.count)
    }
}
