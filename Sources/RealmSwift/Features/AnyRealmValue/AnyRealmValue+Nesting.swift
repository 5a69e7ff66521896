import StorageEngine

// Unmanaged lists and maps of mixed values can be nested arbitrarily deeply, and a list can even
// contain itself. The code in this file therefore uses loops or counts levels, because recursion
// could overflow the stack.

extension AnyRealmValue {
    static let tooDeep =
        "Lists and maps in a mixed value lie inside each other to \(MixedValue.maximumNesting) "
        + "levels at most."

    /// Stops the program if a list or map is nested too deeply. The depth of the outermost is 1.
    static func requireNesting(_ depth: Int) {
        if depth > MixedValue.maximumNesting { stop(tooDeep) }
    }
}

/// A comparison of unmanaged lists and maps of mixed values.
struct NestedEquality {
    private typealias Lists = (List<AnyRealmValue>, List<AnyRealmValue>)
    private typealias Maps = (Map<String, AnyRealmValue>, Map<String, AnyRealmValue>)

    private struct Pair: Hashable {
        let left: ObjectIdentifier
        let right: ObjectIdentifier
    }

    /// The pairs that remain to be compared.
    private var lists: [Lists] = []
    private var maps: [Maps] = []
    /// The pairs seen so far. Each pair is compared once, so that the comparison of a list that
    /// contains itself terminates.
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

    /// Compares two values. Pairs of unmanaged lists or maps are queued.
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

/// An iterative release of the elements of unmanaged lists and maps of mixed values.
struct NestedRelease {
    private var lists: [List<AnyRealmValue>] = []
    private var maps: [Map<String, AnyRealmValue>] = []

    /// Retains the lists and maps among the values. Call ``run()`` after their container has
    /// released them.
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

    /// Empties every uniquely referenced list and map before it is released.
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
