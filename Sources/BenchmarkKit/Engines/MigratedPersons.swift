import ToolSupport

/// A change of the properties of persons that are in a file already. Each begins with persons that
/// have a number, a name, a birth date and an age, none of which is a key or has an index.
///
/// The cases that end in `-block` give every person a value. The others leave the values to the
/// engine.
public enum PersonMigration: String, CaseIterable, Codable, Sendable {
    /// Adds a score, which is 0.
    case add
    /// Adds a score, which is the number of bytes of the name.
    case addBlock = "add-block"
    /// Removes the age.
    case remove
    /// Gives the age another name.
    case rename
    /// Makes the age a text, which is empty.
    case retype
    /// Makes the age a text of its decimal digits.
    case retypeBlock = "retype-block"
    /// Makes the number the primary key.
    case intKey = "new-int-key"
    /// Makes the name the primary key.
    case stringKey = "new-string-key"
    /// Adds a text that is the primary key: the decimal digits of the number.
    case stringKeyBlock = "new-string-key-block"

    var summary: String {
        switch self {
        case .add: "adds a property, which is 0"
        case .addBlock: "the same, and gives each object the length of a string as value"
        case .remove: "removes a property"
        case .rename: "renames a property"
        case .retype: "makes an integer property one of strings, which are empty"
        case .retypeBlock: "the same, and converts the value of each object"
        case .intKey: "makes an integer property the primary key"
        case .stringKey: "makes a string property the primary key"
        case .stringKeyBlock: "adds a string property as primary key, with a value for each object"
        }
    }

    /// Whether the work depends on how many persons there are.
    var visitsObjects: Bool {
        switch self {
        case .add, .remove, .rename, .retype: false
        case .addBlock, .retypeBlock, .intKey, .stringKey, .stringKeyBlock: true
        }
    }

    /// Returns what becomes of a person.
    func migrated(_ values: PersonValues) -> MigratedPerson {
        var person = MigratedPerson(values)
        switch self {
        case .add: person.score = 0
        case .addBlock: person.score = values.name.utf8.count
        case .remove: person.age = nil
        case .rename, .intKey, .stringKey: break
        case .retype: (person.age, person.text) = (nil, "")
        case .retypeBlock: (person.age, person.text) = (nil, String(values.age))
        case .stringKeyBlock: person.text = String(values.number)
        }
        return person
    }
}

/// The values of a person before or after a migration; nil for a property that it does not have.
public struct MigratedPerson: Sendable {
    public var number: Int
    public var name: String
    public var birthdate: Int
    public var age: Int?
    public var score: Int?
    /// The age as a text, or the key that was added.
    public var text: String?

    public init(
        number: Int, name: String, birthdate: Int, age: Int? = nil, score: Int? = nil,
        text: String? = nil
    ) {
        self.number = number
        self.name = name
        self.birthdate = birthdate
        self.age = age
        self.score = score
        self.text = text
    }

    init(_ values: PersonValues) {
        self.init(
            number: values.number, name: values.name, birthdate: values.birthdate, age: values.age)
    }
}

/// Persons of a file that was opened with the properties after a migration, or before it. A store
/// belongs to the thread that opened it. The file is closed when the store is released.
public protocol MigratedPersons: AnyObject {
    /// Adds persons in one transaction. Called only of a file before a migration.
    func insert(_ persons: ArraySlice<PersonValues>) throws
    /// Reads all properties of every person, in any order.
    func forEach(_ body: (MigratedPerson) -> Void) throws
    func size() throws -> StoreSize
    /// Returns the defects of the file's structure, one sentence each, as far as the engine can
    /// check it.
    func problems() throws -> [String]
}
