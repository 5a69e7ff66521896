extension ObjectPrinter {
    private static let maximumElements = 100

    /// Returns `List<Dog> <0x…> (…)` with the elements, one per line.
    static func describe<C: RealmCollection>(
        collection: C, depth: Int = maximumDepth
    ) -> String {
        if depth == 0 { return "<Maximum depth exceeded>" }
        if collection.isInvalidated { return "[invalid collection]" }
        let lines = collection.prefix(maximumElements).enumerated().map { position, element in
            "\t[\(position)] \(describe(C.Element._eraseElement(element), depth: depth))"
        }
        return frame(
            collection, "<\(collection.elementName)>", lines: Array(lines),
            skipped: collection.count - lines.count, what: "objects")
    }

    /// Returns `Map<string, Dog> <0x…> (…)` with the entries, one per line.
    static func describe<Key, Value>(
        _ map: Map<Key, Value>, depth: Int = maximumDepth
    ) -> String {
        if depth == 0 { return "<Maximum depth exceeded>" }
        if map.isInvalidated { return "[invalid collection]" }
        let lines = map.prefix(maximumElements).map { entry in
            "[\(entry.key._storedKey)]: "
                + describe(Value._eraseElement(entry.value), depth: depth)
        }
        return frame(
            map, "<string, \(map.elementName)>", lines: lines, skipped: map.count - lines.count,
            what: "key-value pairs")
    }

    private static func frame(
        _ collection: some AggregatableCollection, _ elementType: String, lines: [String],
        skipped: Int, what: String
    ) -> String {
        let address = collection._backing.instance.map {
            "\(Unmanaged.passUnretained($0).toOpaque())"
        }
        var text = "\(collection.kindName)\(elementType) <\(address ?? "0x0")> (\n"
        text += lines.joined(separator: ",\n")
        if skipped > 0 { text += "\n\t... \(skipped) \(what) skipped." }
        return text + "\n)"
    }
}

extension RealmCollection {
    /// A description of at most 100 elements. Objects are described with their properties.
    public var description: String { ObjectPrinter.describe(collection: self) }
}

extension PrintableCollection where Self: RealmCollection {
    func describe(depth: Int) -> String {
        ObjectPrinter.describe(collection: self, depth: depth)
    }
}

extension AggregatableCollection {
    /// The name of the collection type, without the types of its elements.
    fileprivate var kindName: Substring { "\(Self.self)".prefix { $0 != "<" } }

    /// The name of the element type. For dynamic objects, the name of their class.
    fileprivate var elementName: String {
        let type = AggregatedValue.self
        switch _backing.kind {
        case .query where type is any ProjectionObservable.Type: return "\(type)"
        case .query(let query): return query.managedClass.model.name
        case .column(let managed): return managed.target?.model.name ?? type._typeName
        case .memory, .backlinks, .values: return type._typeName
        }
    }
}

extension List: PrintableCollection {}
extension MutableSet: PrintableCollection {}
extension Results: PrintableCollection {}
extension LinkingObjects: PrintableCollection {}
extension AnyRealmCollection: PrintableCollection {}

extension Map: PrintableCollection {
    /// A description of at most 100 entries. Objects are described with their properties.
    public var description: String { ObjectPrinter.describe(self) }

    func describe(depth: Int) -> String { ObjectPrinter.describe(self, depth: depth) }
}
