import StorageEngine

/// What takes an edit back.
struct Undo: Sendable {
    /// `left` is the fingerprint of what the edit has left: the property, or the object.
    enum Action: Sendable {
        case change(property: String, PropertyChange, left: String)
        case delete(left: String)
        case restore(DeletedObject)
    }

    let object: ObjectPlace
    let action: Action
    /// The bytes of the values that it keeps.
    let size: Int
}

/// A change of a property, with its values as they were read.
enum PropertyChange: Sendable {
    case set(JSONNode)
    case insert(JSONNode, at: Int)
    case remove(at: Int)
    case move(from: Int, to: Int)
}

/// What is needed to make an object again.
struct DeletedObject: Sendable {
    /// A property that has led to the object.
    struct Referrer: Sendable {
        let object: ObjectPlace
        let property: String
        let value: JSONNode
        /// The fingerprint of what the deletion has left.
        let left: String
    }

    let properties: [JSONNode.Member]
    let referrers: [Referrer]
}

/// The edits that can be taken back: the last ones, as far as there is room for what they need.
struct UndoLog {
    static let mostEdits = 100
    static let mostBytes = 64 << 20

    private var undos: [(number: Int, undo: Undo)] = []
    private var size = 0
    private var count = 0

    /// Adds an edit, and returns its number.
    mutating func add(_ undo: Undo) -> Int {
        count += 1
        undos.append((count, undo))
        size += undo.size
        while undos.count > Self.mostEdits || size > Self.mostBytes {
            size -= undos.removeFirst().undo.size
        }
        return count
    }

    subscript(number: Int) -> Undo? { undos.first { $0.number == number }?.undo }

    mutating func remove(_ number: Int) {
        guard let index = undos.firstIndex(where: { $0.number == number }) else { return }
        size -= undos.remove(at: index).undo.size
    }
}
