extension ProjectionObservable {
    /// Returns the names of the properties of the projected object along a key path.
    public static func _tracedName(of keyPath: AnyKeyPath) -> String? {
        _KeyPathTracer.name(of: keyPath, from: self)
    }
}

extension _KeyPathTracer {
    /// Returns the names for a key path of a projection: the names of the properties of its object.
    static func name<P: ProjectionObservable>(of keyPath: AnyKeyPath, from type: P.Type) -> String?
    {
        let tracer = _KeyPathTracer()
        guard let object = tracer.makeObject(P.Root.self) as? P.Root else { return nil }
        // The projection is made before the tracing starts, because making the first projection of
        // a class traces its key paths.
        let projection = P(projecting: object)
        return tracer.name(of: keyPath, from: projection)
    }
}
