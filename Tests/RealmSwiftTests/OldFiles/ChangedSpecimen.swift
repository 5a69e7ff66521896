import Foundation
import RealmSwift

/// The classes of ``OldFile`` as a later version of the application has them.
enum ChangedSpecimens {
    final class Specimen: Object {
        /// Was `name`, with an index.
        @Persisted(primaryKey: true) var title: String
        /// Was an integer, and the primary key.
        @Persisted var number: String
        @Persisted var isWhole: Bool
        @Persisted var tiny: Int8
        @Persisted var medium: Int32
        /// Was `long`.
        @Persisted var length: Int64
        @Persisted var float: Float
        @Persisted var double: Double
        @Persisted var picture: Data
        @Persisted var found: Date
        @Persisted(indexed: true) var objectID: ObjectId
        @Persisted var uuid: UUID
        @Persisted var price: Decimal128
        @Persisted var kind: SpecimenKind
        @Persisted var note: AnyRealmValue
        /// Was optional.
        @Persisted var year: Int
        @Persisted var place: String?
        @Persisted var weight: Double?
        @Persisted var sold: Date?
        @Persisted var label: SpecimenLabel?
        @Persisted var labels: List<SpecimenLabel>
        @Persisted var neighbour: Specimen?
        @Persisted var others: List<Specimen>
        /// Had elements that were not optional.
        @Persisted var counts: List<Int?>
        @Persisted var words: MutableSet<String>
        @Persisted var sizes: Map<String, Double?>

        override class func className() -> String { "Specimen" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    /// Was embedded.
    final class SpecimenLabel: Object {
        @Persisted var text: String
        @Persisted var specimen: Specimen?

        override class func className() -> String { "SpecimenLabel" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }

    static let types: [ObjectBase.Type] = [Specimen.self, SpecimenLabel.self]

    /// Changes the classes to those of this enum.
    static let change: MigrationBlock = { migration, _ in
        migration.renameProperty(onType: "Specimen", from: "name", to: "title")
        migration.renameProperty(onType: "Specimen", from: "long", to: "length")
        migration.enumerateObjects(ofType: "Specimen") { old, new in
            new?["number"] = (old?["number"] as? Int).map { String($0) }
        }
    }

    /// Changes the classes to those of ``OldFile``.
    static let changeBack: MigrationBlock = { migration, _ in
        migration.renameProperty(onType: "Specimen", from: "title", to: "name")
        migration.renameProperty(onType: "Specimen", from: "length", to: "long")
        migration.enumerateObjects(ofType: "Specimen") { old, new in
            guard let number = (old?["number"] as? String).flatMap({ Int($0) }) else { return }
            new?["number"] = number
            new?["short"] = number == 1 ? Int(Int16.max) : number * 100
            if old?["year"] as? Int == 0 { new?["year"] = nil }
        }
    }

    /// Migrates a file there and back, so that it holds what it held, in other columns.
    ///
    /// - Parameter configuration: That of the file. It is given the file's new version.
    static func migrate(_ configuration: inout Realm.Configuration) throws {
        var changed = configuration
        changed.objectTypes = types
        changed.schemaVersion += 1
        changed.migrationBlock = change
        try Realm.performMigration(for: changed)
        configuration.schemaVersion += 2
        configuration.migrationBlock = changeBack
        try Realm.performMigration(for: configuration)
    }
}
