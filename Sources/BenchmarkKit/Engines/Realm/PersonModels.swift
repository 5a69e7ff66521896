import Foundation
import RealmSwift

// The models of this file are not part of default schemas. The Realm files here name their classes,
// and a program that links this module may have classes of the same names.

/// The properties that all person classes share.
protocol PersonObject: Object {
    init(_ values: PersonValues)
    var name: String { get }
    var birthdate: Date { get }
    var age: Int { get set }
}

/// A person without a primary key.
final class Person: Object, PersonObject {
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
final class KeyedPerson: Object, PersonObject {
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

/// A person whose name is the primary key.
final class NamedPerson: Object, PersonObject {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var name: String
    @Persisted var birthdate: Date
    @Persisted var age: Int

    convenience init(_ values: PersonValues) {
        self.init()
        name = values.name
        birthdate = values.birthdateAsDate
        age = values.age
    }
}

/// A person without a primary key, with an index on the age.
final class IndexedPerson: Object, PersonObject {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var name: String
    @Persisted var birthdate: Date
    @Persisted(indexed: true) var age: Int

    convenience init(_ values: PersonValues) {
        self.init()
        name = values.name
        birthdate = values.birthdateAsDate
        age = values.age
    }
}

/// A person without a primary key, with an index on the number.
final class IndexedNumberPerson: Object, PersonObject {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(indexed: true) var number: Int
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

    /// Returns the bytes of the values themselves: 8 for a date, an age or an integer key, and the
    /// length of the name.
    func logicalBytes(_ layout: PersonLayout) -> Int {
        name.utf8.count + (layout == .integerKey || layout == .indexedNumber ? 24 : 16)
    }
}
