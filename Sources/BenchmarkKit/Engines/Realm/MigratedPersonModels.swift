import Foundation
import RealmSwift

/// A person as one version of an application declares it. All versions have the same name in the
/// file.
protocol MigratedPersonObject: Object {
    /// The values of the properties that this version has.
    var migrated: MigratedPerson { get }
}

extension MigratedPersonObject {
    /// Calls `body` with each object of this version.
    static func forEach(in realm: Realm, _ body: (MigratedPerson) -> Void) {
        for person in realm.objects(Self.self) { body(person.migrated) }
    }
}

/// A class of which an application has several versions.
class VersionedPerson: Object {
    static let nameInFile = "VersionedPerson"

    override class func className() -> String { nameInFile }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The properties that all versions have which do not make one of them the key.
class KeylessPerson: VersionedPerson {
    @Persisted var number: Int
    @Persisted var name: String
    @Persisted var birthdate: Date

    /// Returns the values of these properties, and those that `addOthers` gives.
    fileprivate final func values(
        _ addOthers: (inout MigratedPerson) -> Void = { _ in }
    ) -> MigratedPerson {
        var person = MigratedPerson(number: number, name: name, birthdate: birthdate.asSeconds)
        addOthers(&person)
        return person
    }
}

final class OriginalPerson: KeylessPerson, MigratedPersonObject {
    @Persisted var age: Int

    convenience init(_ values: PersonValues) {
        self.init()
        number = values.number
        name = values.name
        birthdate = values.birthdateAsDate
        age = values.age
    }

    var migrated: MigratedPerson { values { $0.age = age } }
}

final class ScoredPerson: KeylessPerson, MigratedPersonObject {
    @Persisted var age: Int
    @Persisted var score: Int

    var migrated: MigratedPerson { values { ($0.age, $0.score) = (age, score) } }
}

final class AgelessPerson: KeylessPerson, MigratedPersonObject {
    var migrated: MigratedPerson { values() }
}

final class RenamedAgePerson: KeylessPerson, MigratedPersonObject {
    @Persisted var years: Int

    var migrated: MigratedPerson { values { $0.age = years } }
}

final class TextAgePerson: KeylessPerson, MigratedPersonObject {
    @Persisted var age: String

    var migrated: MigratedPerson { values { $0.text = age } }
}

final class NumberKeyPerson: VersionedPerson, MigratedPersonObject {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var name: String
    @Persisted var birthdate: Date
    @Persisted var age: Int

    var migrated: MigratedPerson {
        MigratedPerson(number: number, name: name, birthdate: birthdate.asSeconds, age: age)
    }
}

final class NameKeyPerson: VersionedPerson, MigratedPersonObject {
    @Persisted var number: Int
    @Persisted(primaryKey: true) var name: String
    @Persisted var birthdate: Date
    @Persisted var age: Int

    var migrated: MigratedPerson {
        MigratedPerson(number: number, name: name, birthdate: birthdate.asSeconds, age: age)
    }
}

final class AddedKeyPerson: KeylessPerson, MigratedPersonObject {
    @Persisted(primaryKey: true) var key: String
    @Persisted var age: Int

    var migrated: MigratedPerson { values { ($0.age, $0.text) = (age, key) } }
}

extension Date {
    /// The seconds since 1970; all birth dates are whole seconds.
    fileprivate var asSeconds: Int { Int(timeIntervalSince1970) }
}

extension PersonMigration {
    var model: any MigratedPersonObject.Type {
        switch self {
        case .add, .addBlock: ScoredPerson.self
        case .remove: AgelessPerson.self
        case .rename: RenamedAgePerson.self
        case .retype, .retypeBlock: TextAgePerson.self
        case .intKey: NumberKeyPerson.self
        case .stringKey: NameKeyPerson.self
        case .stringKeyBlock: AddedKeyPerson.self
        }
    }

    /// The migration as an application writes it.
    var block: MigrationBlock {
        let person = VersionedPerson.nameInFile
        switch self {
        case .add, .remove, .retype, .intKey, .stringKey: return { _, _ in }
        case .rename:
            return { migration, _ in
                migration.renameProperty(onType: person, from: "age", to: "years")
            }
        case .addBlock:
            return { migration, _ in
                migration.enumerateObjects(ofType: person) { old, new in
                    new!["score"] = (old!["name"] as! String).utf8.count
                }
            }
        case .retypeBlock:
            return { migration, _ in
                migration.enumerateObjects(ofType: person) { old, new in
                    new!["age"] = String(old!["age"] as! Int)
                }
            }
        case .stringKeyBlock:
            return { migration, _ in
                migration.enumerateObjects(ofType: person) { old, new in
                    new!["key"] = String(old!["number"] as! Int)
                }
            }
        }
    }
}
