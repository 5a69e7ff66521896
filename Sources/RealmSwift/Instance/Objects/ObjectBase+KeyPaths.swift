extension ObjectBase: _KeyPathRoot {
    public static func _tracedName(of keyPath: AnyKeyPath) -> String? {
        _KeyPathTracer.name(of: keyPath, from: self)
    }
}

extension _KeyPathTracer {
    /// Returns the names of the properties along the path, joined by dots; nil if the path does not
    /// consist of persisted properties.
    static func name<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String? {
        name(of: keyPath, from: Root.self)
    }

    /// Returns the names for a key path whose root type is known only at run time; nil if the root
    /// type differs.
    static func name(of keyPath: AnyKeyPath, from type: ObjectBase.Type) -> String? {
        name(of: keyPath, from: ObjectIdentifier(type)) { $0.makeObject(type) }
    }

    /// Returns the names of all persisted properties that a key path reads to compute its value.
    /// Each name includes the path to the property.
    static func names(readBy keyPath: AnyKeyPath, of type: ObjectBase.Type) -> [String] {
        let tracer = _KeyPathTracer()
        _ = tracer.name(of: keyPath, from: tracer.makeObject(type))
        let reads = tracer.reads
        // Links that were only followed are left out.
        return reads.filter { read in !reads.contains { $0.hasPrefix(read + ".") } }
    }

    /// Returns an object whose properties are all unread.
    func makeObject(_ type: ObjectBase.Type) -> ObjectBase {
        let (model, object) = ignoringReads { (ClassModel.of(type), type.init()) }
        for property in model.declared {
            property.wrapper.reset(at: object._storage(at: property.offset))
        }
        add(object, properties: model.declared.map { ($0.offset, $0.name) })
        return object
    }
}
