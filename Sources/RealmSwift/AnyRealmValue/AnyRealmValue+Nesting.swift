import StorageEngine

// Unmanaged lists and maps of mixed values may be nested as deep as a program likes, and a list may
// even lie in itself. So what goes through them counts levels or goes in a loop: recursion would
// take the stack.

extension AnyRealmValue {
    static let tooDeep =
        "Lists and maps in a mixed value lie inside each other to \(MixedValue.maximumNesting) "
        + "levels at most."

    /// Stops the program unless a list or map may lie so deep; the outermost is 1 deep.
    static func requireNesting(_ depth: Int) {
        if depth > MixedValue.maximumNesting { stop(tooDeep) }
    }
}

/// Compares unmanaged lists and maps of mixed values.
struct NestedEquality {
    private typealias Lists = (List<AnyRealmValue>, List<AnyRealmValue>)
    private typealias Maps = (Map<String, AnyRealmValue>, Map<String, AnyRealmValue>)

    private struct Pair: Hashable {
        let left: ObjectIdentifier
        let right: ObjectIdentifier
    }

    /// What is still to be compared.
    private var lists: [Lists] = []
    private var maps: [Maps] = []
    /// What has been met: compared once, so that a list that lies in itself comes to an end.
    private var met: Set<Pair> = []

    static func areEqual(_ left: List<AnyRealmValue>, _ right: List<AnyRealmValue>) -> Bool {
        var equality = NestedEquality()
        return equality.compare(left, right) && equality.compareRest()
    }

    static func areEqual(
        _ left: Map<String, AnyRealmValue>, _ right: Map<String, AnyRealmValue>
    ) -> Bool {
        var equality = NestedEquality()
        return equality.compare(left, right) && equality.compareRest()
    }

    private mutating func compareRest() -> Bool {
        while true {
            if let (left, right) = lists.popLast() {
                if !compare(left, right) { return false }
            } else if let (left, right) = maps.popLast() {
                if !compare(left, right) { return false }
            } else {
                return true
            }
        }
    }

    private mutating func compare(
        _ left: List<AnyRealmValue>, _ right: List<AnyRealmValue>
    ) -> Bool {
        guard left.contents.count == right.contents.count else { return false }
        for (left, right) in zip(left.contents, right.contents) where !compare(left, right) {
            return false
        }
        return true
    }

    private mutating func compare(
        _ left: Map<String, AnyRealmValue>, _ right: Map<String, AnyRealmValue>
    ) -> Bool {
        guard left.contents.count == right.contents.count else { return false }
        for (key, value) in left.contents {
            guard let other = right.contents[key], compare(value, other) else { return false }
        }
        return true
    }

    /// Leaves unmanaged lists and maps for later.
    private mutating func compare(_ left: AnyRealmValue, _ right: AnyRealmValue) -> Bool {
        switch (left, right) {
        case (.list(let left), .list(let right)) where left.managed == nil && right.managed == nil:
            if left !== right, meets(left, right) { lists.append((left, right)) }
            return true
        case (.dictionary(let left), .dictionary(let right))
        where left.managed == nil && right.managed == nil:
            if left !== right, meets(left, right) { maps.append((left, right)) }
            return true
        default: return isSameValue(left, right)
        }
    }

    private mutating func meets(_ left: AnyObject, _ right: AnyObject) -> Bool {
        met.insert(Pair(left: ObjectIdentifier(left), right: ObjectIdentifier(right))).inserted
    }
}

/// Releases the elements of unmanaged lists and maps of mixed values.
struct NestedRelease {
    private var lists: [List<AnyRealmValue>] = []
    private var maps: [Map<String, AnyRealmValue>] = []

    /// Takes hold of what lies in a list or map. Once that has let go of it, call ``run()``.
    init(_ values: some Sequence<AnyRealmValue>) { add(values) }

    private mutating func add(_ values: some Sequence<AnyRealmValue>) {
        for value in values {
            switch value {
            case .list(let list): lists.append(list)
            case .dictionary(let map): maps.append(map)
            default: break
            }
        }
    }

    /// Empties every list and map that nobody else refers to before it goes.
    mutating func run() {
        while true {
            if var list = lists.popLast() {
                guard isKnownUniquelyReferenced(&list) else { continue }
                add(list.contents)
                list.contents = []
            } else if var map = maps.popLast() {
                guard isKnownUniquelyReferenced(&map) else { continue }
                add(map.contents.values)
                map.contents = [:]
            } else {
                return
            }
        }
    }
}
