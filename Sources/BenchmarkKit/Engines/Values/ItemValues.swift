import ToolSupport

/// The number of properties of an object of ``ItemStore``.
public enum ItemWidth: String, Codable, CaseIterable, Sendable {
    case three = "3-properties"
    case ten = "10-properties"
    case thirty = "30-properties"

    /// The number of groups of ``ItemValues`` in an object.
    public var groups: Int { self == .thirty ? 3 : 1 }

    /// The bytes of an object's values without texts: 8 for a number or a date, 4 for a `Float`, 1
    /// for a `Bool`.
    var fixedBytes: Int { self == .three ? 16 : groups * 45 }
}

/// Ten values of the types that objects commonly have. An object with three properties has a name,
/// a count and its creation date.
public struct ItemValues: Equatable, Sendable {
    public var name: String
    public var count: Int
    /// The creation date in seconds since 1970, like ``changed``.
    public var made: Int
    public var price: Double
    public var isActive: Bool
    public var code: String
    public var weight: Float
    public var rating: Int?
    public var note: String?
    public var changed: Int

    public init(
        name: String, count: Int, made: Int, price: Double = 0, isActive: Bool = false,
        code: String = "", weight: Float = 0, rating: Int? = nil, note: String? = nil,
        changed: Int = 0
    ) {
        self.name = name
        self.count = count
        self.made = made
        self.price = price
        self.isActive = isActive
        self.code = code
        self.weight = weight
        self.rating = rating
        self.note = note
        self.changed = changed
    }

    /// Creates the values of group `number` of a seed.
    init(number: Int, seed: UInt64) {
        var source = SeededGenerator(seed: mix64(mix64(seed) &+ UInt64(number)))
        func seconds() -> Int { source.next(below: 2_000_000_000) }
        name = String(source.next(below: 1 << 40), radix: 36)
        count = source.next(below: 1000)
        made = seconds()
        price = Double(source.next(below: 100_000)) / 4
        isActive = source.next(below: 2) == 1
        code = "item-" + String(source.next(below: 1 << 20), radix: 16)
        weight = Float(source.next(below: 10_000)) / 8
        rating = source.next(below: 4) == 0 ? nil : source.next(below: 6)
        note = source.next(below: 2) == 0 ? nil : "note " + String(source.next(below: 1 << 30))
        changed = seconds()
    }

    /// Returns the values without those for which an object of that width has no property.
    func narrowed(to width: ItemWidth) -> ItemValues {
        width == .three ? ItemValues(name: name, count: count, made: made) : self
    }

    /// Returns the bytes of the texts in an object of that width.
    func textBytes(_ width: ItemWidth) -> Int {
        let narrow = name.utf8.count
        return width == .three ? narrow : narrow + code.utf8.count + (note?.utf8.count ?? 0)
    }

    var row: ResultDigest.Row {
        var row = ResultDigest.Row()
        row.combine(name.utf8)
        row.combine(count)
        row.combine(made)
        row.combine(price)
        row.combine(isActive ? 1 : 0)
        row.combine(code.utf8)
        row.combine(Double(weight))
        row.combine(rating ?? -1)
        row.combine((note ?? "none").utf8)
        row.combine(changed)
        return row
    }
}
