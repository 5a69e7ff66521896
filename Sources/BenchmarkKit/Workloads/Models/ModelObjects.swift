import StorageEngine
import ToolSupport

/// The objects of one class that one writer has, as they are once all its operations were done: the
/// model with which the file is compared.
struct ModelObjects {
    let values: ModelValues
    /// The writer, and how many there are: every object belongs to one of them.
    private let writer: Int
    private let writers: Int
    /// The keys of all objects that this writer ever had, by their place; filled in as objects are
    /// inserted.
    var keys: [ObjectKey?]
    /// The places of the objects that exist.
    private var living: [Int]
    /// How often a value was changed, by place and column; nothing for those that never were.
    private var changes: [Int: UInt32] = [:]
    private var recency = ZipfianGenerator(itemCount: 1)
    private static let popularity = ScrambledZipfianGenerator(itemCount: .max)

    /// - Parameter loaded: The keys of the objects in the file, all writers' together.
    init(_ values: ModelValues, loaded: [ObjectKey], writer: Int, of writers: Int) {
        self.values = values
        self.writer = writer
        self.writers = writers
        keys = stride(from: writer, to: loaded.count, by: writers).map { loaded[$0] }
        living = Array(keys.indices)
    }

    var count: Int { living.count }

    /// The number of an object, which its values follow from.
    private func number(_ place: Int) -> Int { place * writers + writer }

    /// Adds an object. Returns its place and its values.
    mutating func insert() -> (place: Int, values: [ModelValue]) {
        let place = keys.count
        keys.append(nil)
        living.append(place)
        return (place, values.values(ofNew: number(place)))
    }

    /// Chooses an object that exists; nil if there is none. Returns its index for ``delete(at:)``.
    mutating func choose(
        _ choice: ModelDescription.Operation.Choice, _ random: inout SeededGenerator
    ) -> (index: Int, place: Int)? {
        guard !living.isEmpty else { return nil }
        let index: Int
        switch choice {
        case .uniform: index = random.next(below: living.count)
        case .zipfian: index = Self.popularity.next(using: &random) % living.count
        case .latest:
            recency.grow(to: living.count)
            index = living.count - 1 - recency.next(using: &random) % living.count
        }
        return (index, living[index])
    }

    mutating func delete(at index: Int) {
        living.swapAt(index, living.count - 1)
        living.removeLast()
    }

    /// Gives a property of an object its next value.
    mutating func change(_ column: Int, at place: Int) -> ModelValue {
        changes[place * values.properties.count + column, default: 0] += 1
        return value(column, at: place)
    }

    func value(_ column: Int, at place: Int) -> ModelValue {
        let changed = changes[place * values.properties.count + column] ?? 0
        return values.value(column, of: number(place), changes: changed)
    }

    /// The digest of all objects.
    func digest() -> ResultDigest {
        var digest = ResultDigest()
        for place in living {
            var row = ResultDigest.Row()
            for column in values.properties.indices {
                value(column, at: place).withScalar { row.combine($0) }
            }
            digest.add(row)
        }
        return digest
    }
}
