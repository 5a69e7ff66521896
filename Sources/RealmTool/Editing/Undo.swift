import StorageEngine
import Synchronization

/// What takes an edit back.
struct Undo: Sendable {
    /// `left` is the fingerprint of what the edit has left: the property, or the object.
    enum Action: Sendable {
        case change(property: String, PropertyChange, left: String)
        case delete(left: String)
        case restore(DeletedObject)
    }

    private(set) var object: ObjectPlace
    private(set) var action: Action
    /// The bytes of the values that it keeps.
    let size: Int

    init(object: ObjectPlace, action: Action, size: Int) {
        self.object = object
        self.action = action
        self.size = size
    }

    /// Whether there is room for it in an ``UndoLog``.
    var isKept: Bool { size <= UndoLog.mostBytes }

    /// Notes that an object is there again, in another place.
    mutating func replace(_ former: ObjectPlace, by object: ObjectPlace) {
        if self.object == former { self.object = object }
        guard case .restore(var deleted) = action else { return }
        for index in deleted.referrers.indices where deleted.referrers[index].object == former {
            deleted.referrers[index].object = object
        }
        action = .restore(deleted)
    }
}

/// A change of a property, with its values as they were read.
enum PropertyChange: Sendable {
    case set(JSONNode)
    case insert(JSONNode, at: Int)
    /// Adds to a set; with a key, to a map.
    case add(JSONNode, key: [UInt8]?)
    case replace(JSONNode, at: Int)
    case remove(at: Int)
    case move(from: Int, to: Int)
}

/// What is needed to make an object again.
struct DeletedObject: Sendable {
    /// A property that has led to the object.
    struct Referrer: Sendable {
        var object: ObjectPlace
        let property: String
        let value: JSONNode
        /// The fingerprint of what the deletion has left.
        let left: String
    }

    let properties: [JSONNode.Member]
    var referrers: [Referrer]
}

/// The edits of a file that can be taken back, whichever ``FileEditor`` has made them.
public final class EditLog: Sendable {
    let undos = Mutex(UndoLog())

    public init() {}
}

/// The edits that can be taken back: the last ones, as far as there is room for what they need.
struct UndoLog {
    static let mostEdits = 100
    static let mostBytes = 64 << 20

    private var undos: [(number: Int, undo: Undo)] = []
    private var size = 0

    /// Numbers are those of one edit of this process. If the file is opened anew, a page that
    /// still knows those of before takes nothing else back.
    private static let lastNumber = Atomic(0)

    /// Adds an edit, and returns its number.
    mutating func add(_ undo: Undo) -> Int {
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        undos.append((number, undo))
        size += undo.size
        while undos.count > Self.mostEdits || size > Self.mostBytes {
            size -= undos.removeFirst().undo.size
        }
        return number
    }

    subscript(number: Int) -> Undo? { undos.first { $0.number == number }?.undo }

    /// Notes that an object is there again, in another place, for the edits of before.
    mutating func replace(_ former: ObjectPlace, by object: ObjectPlace) {
        guard former != object else { return }
        for index in undos.indices { undos[index].undo.replace(former, by: object) }
    }

    mutating func remove(_ number: Int) {
        guard let index = undos.firstIndex(where: { $0.number == number }) else { return }
        size -= undos.remove(at: index).undo.size
    }
}
