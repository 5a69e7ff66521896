/// Object keys in some order, as a tree whose copies share the nodes that they have in common.
///
/// Keeping a sequence and a changed copy of it takes memory for what differs. Access by position,
/// finding a position, and each inserted or removed key take O(log n).
///
/// ```swift
/// var people = OrderedKeys(try sorter.sorted(plan))
/// let position = try people.partitionPoint { try order.precedes($0, person) }
/// people.insert([(position, person.key)])
/// ```
public struct OrderedKeys: Sendable {
    private var root: KeyTreeNode?

    public init() {}

    public init(_ keys: [ObjectKey]) {
        root = keys.withUnsafeBufferPointer {
            $0.withMemoryRebound(to: Int64.self) { .root(of: KeyTreeNode.leaves(of: $0)) }
        }
    }

    // MARK: Reading

    public var count: Int { root?.count ?? 0 }

    /// The key at a position, which must be in range.
    public subscript(position: Int) -> ObjectKey {
        precondition(position >= 0 && position < count, "position out of range")
        return ObjectKey(rawValue: root.unsafelyUnwrapped.key(at: position))
    }

    /// All keys in order.
    public var keys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        root?.append(to: &keys)
        return keys
    }

    /// The number of leading keys that satisfy the condition. No later key may satisfy it.
    public func partitionPoint<Failure>(
        _ belongsBefore: (ObjectKey) throws(Failure) -> Bool
    ) throws(Failure) -> Int {
        guard let root else { return 0 }
        return try root.partitionPoint { key throws(Failure) in
            try belongsBefore(ObjectKey(rawValue: key))
        }
    }

    // MARK: Changing

    /// Removes the keys at some positions, which ascend.
    public mutating func remove(at positions: [Int]) {
        change(positions.map { KeyTreeChange(position: $0, inserted: nil) })
    }

    /// Inserts keys. Their positions are those before any of them is inserted, and ascend. Keys
    /// with the same position keep their order.
    public mutating func insert(_ keys: [(position: Int, key: ObjectKey)]) {
        change(keys.map { KeyTreeChange(position: $0.position, inserted: $0.key.rawValue) })
    }

    private mutating func change(_ changes: [KeyTreeChange]) {
        if changes.isEmpty { return }
        guard let root else {
            self = OrderedKeys(changes.compactMap(\.inserted).map(ObjectKey.init(rawValue:)))
            return
        }
        self.root = .root(of: root.changed(by: changes[...], from: 0))
    }
}

/// One key inserted or removed.
private struct KeyTreeChange {
    var position: Int
    /// The inserted key; nil to remove the one at the position.
    var inserted: Int64?

    /// Whether the change is for a part of the sequence that ends at a position, and not for the
    /// next one.
    func belongs(before end: Int) -> Bool {
        inserted == nil ? position < end : position <= end
    }
}

/// A part of a sequence of keys. All leaves of a tree have the same depth.
private final class KeyTreeNode: Sendable {
    static let leafCapacity = 256
    static let branchCapacity = 64
    /// A node with less than this fraction (1/n) of its capacity is merged with its neighbour when
    /// it changes.
    static let leastFraction = 4

    let count: Int
    let firstKey: Int64
    /// The keys of a leaf; nil for a branch.
    let block: KeyBlock?
    /// Empty for a leaf.
    let children: ContiguousArray<KeyTreeNode>

    private init(_ block: KeyBlock) {
        self.block = block
        children = []
        count = block.count
        firstKey = block.key(0)
    }

    private init(_ children: ContiguousArray<KeyTreeNode>) {
        block = nil
        self.children = children
        count = children.reduce(0) { $0 + $1.count }
        firstKey = children[0].firstKey
    }

    // MARK: Making

    static func leaves(of keys: UnsafeBufferPointer<Int64>) -> ContiguousArray<KeyTreeNode> {
        parts(of: keys.count, atMost: leafCapacity) {
            KeyTreeNode(KeyBlock(UnsafeBufferPointer(rebasing: keys[$0])))
        }
    }

    private static func leaves(of keys: ContiguousArray<Int64>) -> ContiguousArray<KeyTreeNode> {
        keys.withUnsafeBufferPointer { leaves(of: $0) }
    }

    private static func branches(
        of nodes: ContiguousArray<KeyTreeNode>
    ) -> ContiguousArray<KeyTreeNode> {
        parts(of: nodes.count, atMost: branchCapacity) {
            KeyTreeNode(ContiguousArray(nodes[$0]))
        }
    }

    /// Splits a number of elements into parts of about the same length.
    private static func parts(
        of count: Int, atMost capacity: Int, _ make: (Range<Int>) -> KeyTreeNode
    ) -> ContiguousArray<KeyTreeNode> {
        let partCount = (count + capacity - 1) / capacity
        return ContiguousArray(
            (0..<partCount).map {
                make(count * $0 / partCount..<count * ($0 + 1) / partCount)
            })
    }

    /// The root of a tree with these nodes, all of one depth; nil if there are none.
    static func root(of nodes: ContiguousArray<KeyTreeNode>) -> KeyTreeNode? {
        var nodes = nodes
        while nodes.count > 1 { nodes = branches(of: nodes) }
        guard var root = nodes.first else { return nil }
        while root.children.count == 1 { root = root.children[0] }
        return root
    }

    // MARK: Reading

    func key(at position: Int) -> Int64 {
        var (node, rest) = (self, position)
        while node.block == nil {
            var index = 0
            while rest >= node.children[index].count {
                rest -= node.children[index].count
                index += 1
            }
            node = node.children[index]
        }
        return node.block.unsafelyUnwrapped.key(rest)
    }

    func append(to keys: inout [ObjectKey]) {
        for child in children { child.append(to: &keys) }
        for key in unpacked { keys.append(ObjectKey(rawValue: key)) }
    }

    func partitionPoint<Failure>(
        _ belongsBefore: (Int64) throws(Failure) -> Bool
    ) throws(Failure) -> Int {
        var (node, start) = (self, 0)
        while node.block == nil {
            let index = try node.children.partitionPoint { child throws(Failure) in
                try belongsBefore(child.firstKey)
            }
            guard index > 0 else { return start }
            for child in node.children[..<(index - 1)] { start += child.count }
            node = node.children[index - 1]
        }
        let block = node.block.unsafelyUnwrapped
        return try start
            + (0..<block.count).partitionPoint { position throws(Failure) in
                try belongsBefore(block.key(position))
            }
    }

    /// The keys of a leaf.
    private var unpacked: ContiguousArray<Int64> {
        guard let block else { return [] }
        return ContiguousArray(unsafeUninitializedCapacity: count) { keys, initialized in
            block.unpack(to: keys.baseAddress.unsafelyUnwrapped)
            initialized = count
        }
    }

    // MARK: Changing

    /// The nodes that replace this one, of the same depth, after changes at ascending positions.
    ///
    /// - Parameter start: the position of the first key of this node.
    func changed(
        by changes: ArraySlice<KeyTreeChange>, from start: Int
    ) -> ContiguousArray<KeyTreeNode> {
        if block != nil { return Self.leaves(of: keys(changedBy: changes, from: start)) }
        var nodes = ContiguousArray<KeyTreeNode>()
        nodes.reserveCapacity(children.count + 1)
        var (rest, childStart) = (changes, start)
        for (index, child) in children.enumerated() {
            let end = childStart + child.count
            let isLast = index == children.count - 1
            let own = isLast ? rest : rest.prefix { $0.belongs(before: end) }
            if own.isEmpty {
                nodes.append(child)
            } else {
                for node in child.changed(by: own, from: childStart) {
                    Self.append(node, to: &nodes)
                }
            }
            rest = rest[own.endIndex...]
            childStart = end
        }
        return Self.branches(of: nodes)
    }

    private func keys(
        changedBy changes: ArraySlice<KeyTreeChange>, from start: Int
    ) -> ContiguousArray<Int64> {
        let old = unpacked
        var keys = ContiguousArray<Int64>()
        keys.reserveCapacity(old.count + changes.count)
        var next = 0
        for change in changes {
            keys += old[next..<change.position - start]
            next = change.position - start
            if let key = change.inserted { keys.append(key) } else { next += 1 }
        }
        keys += old[next...]
        return keys
    }

    /// Appends a changed node. A small one is merged with the one before, so that nodes do not
    /// become ever smaller.
    private static func append(_ node: KeyTreeNode, to nodes: inout ContiguousArray<KeyTreeNode>) {
        guard node.isSmall, let last = nodes.last else { return nodes.append(node) }
        nodes.removeLast()
        nodes +=
            node.block == nil
            ? branches(of: last.children + node.children)
            : leaves(of: last.unpacked + node.unpacked)
    }

    private var isSmall: Bool {
        block == nil
            ? children.count < Self.branchCapacity / Self.leastFraction
            : count < Self.leafCapacity / Self.leastFraction
    }
}
