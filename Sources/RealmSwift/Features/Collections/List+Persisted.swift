import StorageEngine

extension List: _PersistableCollection {
    public static var _shape: _PropertyShape { Element._elementShape.asElement(of: .list) }

    public convenience init(_of object: ObjectBase, column: Int) {
        self.init(managed: ManagedList(of: object, column: column))
    }

    /// Returns a list with one element, for tracing a key path.
    public static func _makeTraced(_ tracer: _KeyPathTracer) -> List {
        let list = List()
        if let element = Element._makeTracedElement(tracer) { list.contents = [element] }
        return list
    }

    public func _manage(in object: ObjectBase, column: Int, over existing: _ExistingElements) {
        let elements = contents
        contents = []
        let managed = ManagedList(of: object, column: column)
        self.managed = managed
        switch existing {
        case .none: append(objectsIn: elements)
        case .replaced:
            removeAll()
            append(objectsIn: elements)
        case .modified: writeDifferences(elements, to: managed)
        }
    }

    private func writeDifferences(_ elements: [Element], to managed: ManagedList) {
        // The count is read once, because a failing change can remove elements.
        let count = count
        let common = Swift.min(count, elements.count)
        for index in 0..<common {
            Element._store(elements[index], in: _ValueSlot(.element(managed, at: index)))
        }
        for index in (common..<count).reversed() { removeExisting(at: index) }
        append(objectsIn: elements[common...])
    }

    public func _isSame(as other: List) -> Bool {
        self === other || managed.isSame(as: other.managed) ?? false
    }

    public func _replaceElements(by other: List) {
        let elements = other._elements
        removeAll()
        append(objectsIn: elements)
    }

    public static var _storedType: any _Persistable.Type {
        Element._storedElementType.listType
    }

    /// Converts a sequence, element by element. Nil gives an empty list.
    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> List? {
        let list = List()
        return Element._convertElements(of: value, conversion) { list.contents.append($0) }
            ? list : nil
    }
}

extension List: Encodable where Element: Encodable {}

extension List: Decodable where Element: Decodable {
    /// Decodes an array.
    ///
    /// - Throws: The error of the decoder.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        contents = try [Element](from: decoder)
    }
}
