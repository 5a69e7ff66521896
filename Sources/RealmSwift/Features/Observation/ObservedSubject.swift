import StorageEngine

/// Something of a Realm that can be observed. Equal subjects have equal elements in each version.
indirect enum ObservedSubject: Hashable {
    /// An object, or a view of it that shows some of its properties.
    case object(of: ClassIdentity, key: Int64, as: ObjectIdentifier?)
    /// A list, set or map in a column of an object.
    case collection(of: ClassIdentity, key: Int64, column: Int)
    case backlinks(to: ClassIdentity, key: Int64, from: ClassIdentity, column: Int)
    case query(QueryIdentity)
    /// Something that is equal only to itself.
    case instance(Reference)

    /// An object of the program, by its identity. It is retained, so that no other gets its
    /// address.
    struct Reference: Hashable {
        let object: AnyObject

        static func == (left: Reference, right: Reference) -> Bool { left.object === right.object }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
    }
}

extension ObservedSubject {
    static func instance(of object: AnyObject) -> ObservedSubject {
        .instance(Reference(object: object))
    }

    static func backlinks(_ managed: ManagedBacklinks) -> ObservedSubject {
        .backlinks(
            to: ClassIdentity(managed.targetClass), key: managed.targetKey.rawValue,
            from: ClassIdentity(managed.origin), column: managed.column)
    }

    /// A collection within a mixed value has a place that changes, so it is equal only to itself.
    static func collection(_ managed: any AnyManagedCollection) -> ObservedSubject {
        if managed.isNested { return .instance(of: managed) }
        return .collection(
            of: ClassIdentity(managed.owner), key: managed.key, column: managed.column)
    }
}

extension ObservedIdentity {
    /// Identifies a subject observed through key paths.
    init(_ subject: ObservedSubject, _ keyPaths: [String]?) {
        self.init(erasing: subject, keyPaths)
    }
}

/// A class in any Realm of a file.
struct ClassIdentity: Hashable {
    private let name: String
    /// A class that is accessed by names has other positions of its properties.
    private let isDynamic: Bool

    init(_ managedClass: ManagedClass) {
        name = managedClass.model.name
        isDynamic = !managedClass.model.hasStorage
    }
}

/// What a query consists of, for recognizing equal queries that were made separately.
struct QueryIdentity: Hashable {
    private var objects: ClassIdentity
    private var source: ObservedSubject?
    private var parts: [Part] = []

    /// A piece of a condition or order. The pieces are in prefix order, each with the number of
    /// those that follow, so equal sequences are equal conditions.
    private enum Part: Hashable {
        case operation(String, count: Int)
        case column(Int)
        case comparison(Comparison)
        case value(OwnedScalar)
        case bytes([UInt8])
        case keys([ObjectKey])
        case order(QueryOrder)
    }

    /// Fails if a test is a function, because functions cannot be compared.
    init?(_ query: ResultsQuery) {
        objects = ClassIdentity(query.managedClass)
        switch query.origin {
        case .table: break
        case .column(let managed): source = .collection(managed)
        case .backlinks(let managed): source = .backlinks(managed)
        case .nothing: return nil
        }
        for operation in query.operations {
            switch operation {
            case .filter(let condition, _): guard add(condition) else { return nil }
            case .sort(_, let orders): add("sort", orders)
            case .distinct(_, let orders): add("distinct", orders)
            }
        }
    }

    private mutating func add(_ name: String, _ orders: [QueryOrder]) {
        parts.append(.operation(name, count: orders.count))
        parts += orders.map(Part.order)
    }

    /// Returns false if the condition cannot be compared with others.
    private mutating func add(_ condition: QueryCondition) -> Bool {
        switch condition {
        case .constant(let value): parts.append(.operation("constant", count: value ? 1 : 0))
        case .not(let part): return add("not", [part])
        case .and(let all): return add("and", all)
        case .or(let all): return add("or", all)
        case .value(let column, let test):
            parts.append(.column(column))
            return add(test)
        case .link(let column, let part):
            parts.append(.column(column))
            return add("link", [part])
        case .referrer(let table, let column, let part):
            parts += [.column(table), .column(column)]
            return add("referrer", [part])
        case .keys(let keys): parts.append(.keys(keys))
        case .values, .pairs, .bound, .object: return false
        }
        return true
    }

    private mutating func add(_ name: String, _ conditions: [QueryCondition]) -> Bool {
        parts.append(.operation(name, count: conditions.count))
        return conditions.allSatisfy { add($0) }
    }

    private mutating func add(_ test: ValueTest) -> Bool {
        switch test {
        case .compare(let comparison, let value):
            parts += [.comparison(comparison), .value(value)]
        case .range(let first, let last, let includesLast):
            parts += [
                .operation("range", count: includesLast ? 1 : 0), .value(first), .value(last),
            ]
        case .isIn(let values):
            parts.append(.operation("in", count: values.count))
            parts += values.map(Part.value)
        case .hasPrefix(let bytes): parts += [.operation("prefix", count: 0), .bytes(bytes)]
        case .hasSuffix(let bytes): parts += [.operation("suffix", count: 0), .bytes(bytes)]
        case .contains(let bytes): parts += [.operation("contains", count: 0), .bytes(bytes)]
        case .satisfies: return false
        }
        return true
    }
}
