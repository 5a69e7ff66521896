import Foundation
import RealmSwift

// The models of this file are no part of default schemas: files here name their classes, and a
// program that links these modules may have classes of the same names.

/// A person without a primary key.
final class Person: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var name: String
    @Persisted var birthdate: Date
    @Persisted var age: Int

    convenience init(_ values: PersonValues) {
        self.init()
        name = values.name
        birthdate = values.birthdateAsDate
        age = values.age
    }
}

/// A person with an integer primary key.
final class KeyedPerson: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String
    @Persisted var birthdate: Date
    @Persisted var age: Int

    convenience init(_ values: PersonValues) {
        self.init()
        number = values.number
        name = values.name
        birthdate = values.birthdateAsDate
        age = values.age
    }
}

extension PersonValues {
    var birthdateAsDate: Date { Date(timeIntervalSince1970: Double(birthdate)) }

    /// Bytes that the values themselves have: 8 for a date or an age, the digits of the name.
    var logicalBytes: Int { name.utf8.count + 16 }
}

/// The configuration of a file of persons.
func personsConfiguration(path: String, _ type: Object.Type) -> Realm.Configuration {
    Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [type])
}
