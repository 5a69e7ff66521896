import StorageEngine

/// A change of a property, as somebody asks for it who has seen its value.
public struct ObjectEdit: Decodable, Sendable {
    /// Values and elements are texts in the form of a ``PropertyDraft``; nil is null. Positions are
    /// those of the order in which the elements are shown.
    public enum Change: Decodable, Sendable {
        /// Gives the property a value. That of a collection is all its elements.
        case set(text: String?)
        /// Inserts an element into a list.
        case insert(text: String?, at: Int)
        /// Adds an element to a set, or a value under a new key to a map.
        case add(text: String?, key: String?)
        /// Replaces an element of a list, or the value at a position of a map.
        case replace(text: String?, at: Int)
        /// Removes an element of a list or set, or a key of a map.
        case remove(at: Int)
        /// Moves an element of a list. `to` is its position afterwards.
        case move(from: Int, to: Int)
    }

    public let object: ObjectPlace
    public let property: String
    /// What the value was when it was seen: ``PropertyDraft/fingerprint``.
    public let seen: String
    public let change: Change

    public init(_ object: ObjectPlace, _ property: String, seen: String, _ change: Change) {
        self.object = object
        self.property = property
        self.seen = seen
        self.change = change
    }
}

/// An object of a file.
public struct ObjectPlace: Hashable, Codable, Sendable {
    public let className: String
    /// Digits, because 64 bits do not fit the numbers of a page.
    public let key: String

    public init(className: String, key: String) {
        self.className = className
        self.key = key
    }

    init(_ table: Table, _ key: ObjectKey) {
        self.init(className: table.definition.name, key: "\(key.rawValue)")
    }
}

/// What an edit has done.
public struct EditOutcome: Encodable, Sendable {
    /// The object that was changed, added, deleted, or is there again.
    public let object: ObjectPlace
    /// A version of the file that has the change.
    public let version: UInt64
    /// The number by which ``FileEditor/undo(_:)`` takes the edit back; nil if what that needs is
    /// too large to be kept.
    public let undo: Int?
    /// How many properties of other objects do not link to the object again, because somebody has
    /// changed them since.
    public let lostLinks: Int
}

/// A value is not what it was when somebody saw it, so nothing was changed.
public struct EditConflict: Error {
    /// A complete sentence.
    public let message: String
    /// The value that is there now; nil if it is one of an object as a whole.
    public let now: PropertyDraft?
}
