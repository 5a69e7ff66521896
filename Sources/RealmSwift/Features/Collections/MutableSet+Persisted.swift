import StorageEngine

extension MutableSet: _PersistableCollection {
    public static var _shape: _PropertyShape { Element._elementShape.asElement(of: .set) }

    public convenience init(_of object: ObjectBase, column: Int) {
        self.init(managed: ManagedSet(of: object, column: column))
    }

    /// Returns a set with one element, for tracing a key path.
    public static func _makeTraced(_ tracer: _KeyPathTracer) -> MutableSet {
        let set = MutableSet()
        if let element = Element._makeTracedElement(tracer) { set.contents = [element] }
        return set
    }

    public func _manage(in object: ObjectBase, column: Int, over existing: _ExistingElements) {
        let elements = contents
        contents = []
        members = []
        let managed = ManagedSet(of: object, column: column)
        self.managed = managed
        switch existing {
        case .none: insert(objectsIn: elements)
        case .replaced:
            removeAll()
            insert(objectsIn: elements)
        case .modified: writeDifferences(elements, to: managed)
        }
    }

    private func writeDifferences(_ elements: [Element], to managed: ManagedSet) {
        insert(objectsIn: elements)
        managed.realm.change {
            var kept: Set<Int> = []
            for element in elements {
                managed.realm.scratch.reset()
                let sought = Element._encodeSought(element, managed.realm.scratch)
                if let sought, let index = try managed.handle.index(of: sought) {
                    kept.insert(index)
                }
            }
            for index in (0..<(try managed.handle.count())).reversed() where !kept.contains(index) {
                try managed.handle.remove(try managed.handle.value(at: index))
            }
        }
    }

    public func _isSame(as other: MutableSet) -> Bool {
        self === other || managed.isSame(as: other.managed) ?? false
    }

    public func _replaceElements(by other: MutableSet) {
        let elements = other._elements
        removeAll()
        insert(objectsIn: elements)
    }

    public static var _storedType: any _Persistable.Type { Element._storedElementType.setType }

    /// Converts a sequence, element by element. Nil gives an empty set.
    public static func _convert(_ value: Any?, _ conversion: _ValueConversion) -> MutableSet? {
        let set = MutableSet()
        return Element._convertElements(of: value, conversion) { set.insert($0) } ? set : nil
    }
}

extension MutableSet: Encodable where Element: Encodable {}

extension MutableSet: Decodable where Element: Decodable {
    /// Decodes an array. Duplicate elements are ignored.
    ///
    /// - Throws: The error of the decoder.
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        insert(objectsIn: try [Element](from: decoder))
    }
}
