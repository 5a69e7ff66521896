import Foundation
import RealmSwift

// What the files in `Fixtures` hold. This file is also compiled with the versions of the library
// that have written them (see the README there), so it uses nothing that came later.

enum SpecimenKind: String, PersistableEnum {
    case stone, plant
}

/// A class with properties of all types.
final class Specimen: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var name: String
    @Persisted var isWhole: Bool
    @Persisted var tiny: Int8
    @Persisted var short: Int16
    @Persisted var medium: Int32
    @Persisted var long: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var picture: Data
    @Persisted var found: Date
    @Persisted var objectID: ObjectId
    @Persisted var uuid: UUID
    @Persisted var price: Decimal128
    @Persisted var kind: SpecimenKind
    @Persisted var note: AnyRealmValue
    @Persisted var year: Int?
    @Persisted var place: String?
    @Persisted var weight: Double?
    @Persisted var sold: Date?
    @Persisted var label: SpecimenLabel?
    @Persisted var labels: List<SpecimenLabel>
    @Persisted var neighbour: Specimen?
    @Persisted var others: List<Specimen>
    @Persisted var counts: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var sizes: Map<String, Double?>
    @Persisted(originProperty: "neighbour") var behind: LinkingObjects<Specimen>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class SpecimenLabel: EmbeddedObject {
    @Persisted var text: String
    @Persisted var specimen: Specimen?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class with so many objects that they take several leaves.
final class Reading: Object {
    @Persisted var index: Int
    @Persisted var value: Double

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum OldFile {
    static let types: [ObjectBase.Type] = [Specimen.self, SpecimenLabel.self, Reading.self]
    static let key = Data(0..<64)

    /// Writes a file in several transactions, so that it has free space and older pages.
    static func write(_ configuration: Realm.Configuration, readings: Int) throws {
        let realm = try Realm(configuration: configuration)
        for start in stride(from: 0, to: 12, by: 4) {
            try realm.write {
                for number in start..<start + 4 { realm.add(specimen(number)) }
            }
        }
        try realm.write {
            for index in 0..<readings {
                realm.create(Reading.self, value: ["index": index, "value": Double(index) / 4])
            }
        }
        try realm.write {
            let all = realm.objects(Specimen.self)
            for specimen in all { link(specimen, in: realm) }
            realm.delete(realm.objects(Reading.self).filter("index >= 20 AND index < 60"))
        }
        try realm.write {
            guard let gone = realm.object(ofType: Specimen.self, forPrimaryKey: 5) else { return }
            realm.delete(gone)
        }
    }

    private static func link(_ specimen: Specimen, in realm: Realm) {
        func find(_ number: Int) -> Specimen? {
            realm.object(ofType: Specimen.self, forPrimaryKey: number)
        }
        specimen.neighbour = find((specimen.number + 1) % 12)
        for number in [specimen.number, 0, 5, 0] {
            if let other = find(number) { specimen.others.append(other) }
        }
        if specimen.number.isMultiple(of: 3) {
            let label = SpecimenLabel()
            label.text = "one of \(specimen.name.prefix(8))"
            label.specimen = find(5)
            specimen.label = label
        }
        if specimen.number == 8, let first = find(0) { specimen.note = .object(first) }
    }

    private static func specimen(_ number: Int) -> Specimen {
        let specimen = Specimen()
        specimen.number = number
        specimen.name = number == 3 ? String(repeating: "long ", count: 1200) : "Größe \(number)"
        specimen.isWhole = number.isMultiple(of: 2)
        specimen.tiny = number == 1 ? .min : Int8(number)
        specimen.short = number == 1 ? .max : Int16(number * 100)
        specimen.medium = number == 1 ? .min : Int32(number * 100_000)
        specimen.long = number == 1 ? .max : Int64(number) << 40
        specimen.float = Float(number) / 2
        specimen.double = number == 2 ? .infinity : Double(number) / 8
        specimen.picture = Data((0..<number * 3).map { UInt8($0) })
        specimen.found = Date(timeIntervalSince1970: Double(number) * 100_000.5)
        let digit = String(number % 10)
        specimen.objectID = try! ObjectId(string: String(repeating: digit + "a", count: 12))
        specimen.uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, UInt8(number)))
        specimen.price = Decimal128(value: number) / 100
        specimen.kind = number < 6 ? .stone : .plant
        specimen.note = note(number)
        specimen.year = number.isMultiple(of: 3) ? nil : 1900 + number
        specimen.place = number.isMultiple(of: 4) ? nil : number == 2 ? "" : "place \(number)"
        specimen.weight = number.isMultiple(of: 5) ? nil : Double(number) * 1.5
        specimen.sold = number < 7 ? nil : Date(timeIntervalSince1970: -Double(number))
        for index in 0..<number % 3 {
            let label = SpecimenLabel()
            label.text = "label \(index) of \(number)"
            specimen.labels.append(label)
        }
        specimen.counts.append(objectsIn: (0..<(number == 4 ? 600 : number)).map { $0 * $0 })
        specimen.words.insert(objectsIn: ["some", "words", "of \(number)"].prefix(number % 4))
        for size in 0..<number % 4 { specimen.sizes["size \(size)"] = Double(size) / 2 }
        if number == 7 { specimen.sizes["unknown"] = .some(nil) }
        return specimen
    }

    private static func note(_ number: Int) -> AnyRealmValue {
        switch number {
        case 1: .int(-7)
        case 2: .string("a note")
        case 3: .bool(true)
        case 4: .double(2.5)
        case 5: .date(Date(timeIntervalSince1970: 5))
        case 6: .data(Data([6, 6]))
        case 7: .fromArray([.int(7), .none, .fromDictionary(["seven": .string("7")])])
        case 9: .uuid(UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))
        case 10: .fromDictionary(["ten": .float(10)])
        default: .none
        }
    }
}

// MARK: Texts

/// The contents of a file, a line for each object.
extension OldFile {
    static func lines(of realm: Realm) -> [String] {
        let specimens = realm.objects(Specimen.self).sorted(byKeyPath: "number")
        let readings = realm.objects(Reading.self).sorted(byKeyPath: "index")
        return specimens.map { line(of: $0) } + readings.map { "\($0.index): \($0.value)" }
    }

    private static func line(of specimen: Specimen) -> String {
        let name = specimen.name.count < 20 ? specimen.name : "\(specimen.name.count) characters"
        let numbers = [
            "\(specimen.tiny)", "\(specimen.short)", "\(specimen.medium)", "\(specimen.long)",
            "\(specimen.float)", "\(specimen.double)", "\(specimen.price)",
        ]
        let counts = specimen.counts.count < 20 ? "\(Array(specimen.counts))" : "many counts"
        let sizes = specimen.sizes.map { "\($0.key)=\(text($0.value))" }.sorted()
        return [
            "\(specimen.number) \(name) \(specimen.kind.rawValue) \(specimen.isWhole)",
            numbers.joined(separator: " "),
            "\(text(specimen.picture)) \(text(specimen.found)) \(specimen.objectID.stringValue)",
            "\(specimen.uuid.uuidString) \(text(specimen.note))",
            "\(text(specimen.year)) \(text(specimen.place)) \(text(specimen.weight))",
            "\(specimen.sold.map(text) ?? "nil") \(text(specimen.label))",
            specimen.labels.map { text($0) }.joined(separator: ", "),
            "\(text(specimen.neighbour?.number)) \(Array(specimen.others.map(\.number)))",
            "\(counts) \(specimen.counts.sum() as Int) \(Array(specimen.words).sorted()) \(sizes)",
            "\(specimen.behind.map(\.number).sorted())",
        ].joined(separator: " | ")
    }

    private static func text(_ label: SpecimenLabel?) -> String {
        label.map { "\($0.text) (\(text($0.specimen?.number)))" } ?? "nil"
    }

    private static func text<Value>(_ value: Value?) -> String {
        value.map { "\($0)" } ?? "nil"
    }

    private static func text(_ data: Data) -> String {
        data.isEmpty ? "-" : data.map { String($0, radix: 16) }.joined(separator: ".")
    }

    private static func text(_ date: Date) -> String { "\(date.timeIntervalSince1970)" }

    private static func text(_ value: AnyRealmValue) -> String {
        switch value {
        case .none: "none"
        case .int(let value): "int \(value)"
        case .bool(let value): "bool \(value)"
        case .float(let value): "float \(value)"
        case .double(let value): "double \(value)"
        case .string(let value): "string \(value)"
        case .data(let value): "data \(text(value))"
        case .date(let value): "date \(text(value))"
        case .object(let value): "object \((value as? Specimen)?.number ?? -1)"
        case .objectId(let value): "id \(value.stringValue)"
        case .decimal128(let value): "decimal \(value)"
        case .uuid(let value): "uuid \(value.uuidString)"
        case .list(let values): "[\(values.map { text($0) }.joined(separator: ", "))]"
        case .dictionary(let values):
            "{\(values.map { "\($0.key): \(text($0.value))" }.sorted().joined(separator: ", "))}"
        }
    }
}
