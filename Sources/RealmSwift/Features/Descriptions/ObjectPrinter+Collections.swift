extension ObjectPrinter {
    private static let maximumElements = 100

    /// Returns `List<Dog> <0x…> (…)` with the elements, one per line.
    static func describe<C: RealmCollection & PrintableCollection>(
        collection: C, depth: Int = maximumDepth
    ) -> String {
        if depth == 0 { return "<Maximum depth exceeded>" }
        if collection.isInvalidated { return "[invalid collection]" }
        let lines = collection.prefix(maximumElements).enumerated().map { position, element in
            "\t[\(position)] \(describe(C.Element._eraseElement(element), depth: depth))"
        }
        return frame(
            "\(C.kindName)<\(collection.elementName)>", collection.address, Array(lines),
            skipped: collection.count - lines.count, "objects")
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
            "\(Map<Key, Value>.kindName)<string, \(map.elementName)>", map.address, lines,
            skipped: map.count - lines.count, "key-value pairs")
    }

    private static func frame(
        _ type: String, _ address: UnsafeMutableRawPointer?, _ lines: [String], skipped: Int,
        _ what: String
    ) -> String {
        let address = address.map { "\($0)" } ?? "0x0"
        var text = "\(type) <\(address)> (\n" + lines.joined(separator: ",\n")
        if skipped > 0 { text += "\n\t... \(skipped) \(what) skipped." }
        return text + "\n)"
    }
}

extension PrintableCollection where Self: RealmCollection {
    func describe(depth: Int) -> String {
        ObjectPrinter.describe(collection: self, depth: depth)
    }
}

extension PrintableCollection where Self: AnyObject {
    var address: UnsafeMutableRawPointer? { Unmanaged.passUnretained(self).toOpaque() }
}

extension List: PrintableCollection {
    static var kindName: String { "List" }
    var elementName: String { managed?.target?.model.name ?? Element._typeName }

    /// A description of at most 100 elements. Objects are described with their properties.
    public var description: String { ObjectPrinter.describe(collection: self) }
}

extension MutableSet: PrintableCollection {
    static var kindName: String { "MutableSet" }
    var elementName: String { managed?.target?.model.name ?? Element._typeName }

    /// A description of at most 100 elements. Objects are described with their properties.
    public var description: String { ObjectPrinter.describe(collection: self) }
}

extension Map: PrintableCollection {
    static var kindName: String { "Map" }
    var elementName: String { managed?.target?.model.name ?? Value._typeName }

    /// A description of at most 100 entries. Objects are described with their properties.
    public var description: String { ObjectPrinter.describe(self) }

    func describe(depth: Int) -> String { ObjectPrinter.describe(self, depth: depth) }
}

extension Results: PrintableCollection {
    static var kindName: String { "Results" }
    var elementName: String {
        guard let objects, !(Element.self is any ProjectionObservable.Type) else {
            return values == nil ? "\(Element.self)" : Element._typeName
        }
        return objects.managedClass.model.name
    }
    var address: UnsafeMutableRawPointer? {
        let source: AnyObject? = objects ?? values
        return source.map { Unmanaged.passUnretained($0).toOpaque() }
    }

    /// A description of at most 100 elements. Objects are described with their properties.
    public var description: String { ObjectPrinter.describe(collection: self) }
}

extension LinkingObjects: PrintableCollection {
    static var kindName: String { "LinkingObjects" }
    var elementName: String { Element._typeName }
    /// Always nil, because `LinkingObjects` is a value type.
    var address: UnsafeMutableRawPointer? { nil }

    /// A description of at most 100 objects with their properties.
    public var description: String { ObjectPrinter.describe(collection: self) }
}

extension AnyRealmCollection: PrintableCollection {
    static var kindName: String { "AnyRealmCollection" }
    var elementName: String {
        (base as? any PrintableCollection)?.elementName ?? Element._typeName
    }
    var address: UnsafeMutableRawPointer? { (base as? any PrintableCollection)?.address }

    /// A description of at most 100 elements. Objects are described with their properties.
    public var description: String { ObjectPrinter.describe(collection: self) }
}
