import StorageEngine
import Synchronization

/// Finds out which properties a Swift key path leads through, by following it once through objects
/// that tell what is read of them.
///
/// Each of these is an unmanaged object whose properties have never been read, so that reading one
/// calls `Persisted.makeDefault`, which asks here: links then lead to another such object, and
/// collections of objects hold one.
public final class _KeyPathTracer {
    /// The names of the properties on the way, joined by dots; nil if the path does not consist of
    /// persisted properties.
    static func name<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String? {
        name(of: keyPath, from: Root.self)
    }

    /// The same for a key path whose root is known at run time only; nil if it is another one.
    static func name(of keyPath: AnyKeyPath, from type: ObjectBase.Type) -> String? {
        let start = Start(keyPath: keyPath, type: ObjectIdentifier(type))
        if let name = recent.withLock({ $0[start] }) { return name }
        guard let name = knownName(start) ?? tracedName(of: keyPath, from: type) else { return nil }
        known.withLock { if $0.count < largestKnown { $0[start] = name } }
        recent.withLock { $0[start] = name }
        return name
    }

    private static func knownName(_ start: Start) -> String? { known.withLock { $0[start] } }

    private static func tracedName(of keyPath: AnyKeyPath, from type: ObjectBase.Type) -> String? {
        let tracer = _KeyPathTracer()
        return tracer.name(of: keyPath, from: tracer.makeObject(type))
    }

    /// The names of all persisted properties that a key path reads to compute its value, each with
    /// those on the way to it.
    static func names(readBy keyPath: AnyKeyPath, of type: ObjectBase.Type) -> [String] {
        let tracer = _KeyPathTracer()
        _ = tracer.name(of: keyPath, from: tracer.makeObject(type))
        let reads = tracer.reads
        // Without the links that were only followed.
        return reads.filter { read in !reads.contains { $0.hasPrefix(read + ".") } }
    }

    private struct Start: Hashable {
        var keyPath: AnyKeyPath
        var type: ObjectIdentifier
    }

    /// What was found. A program has as many key paths as are written in it, and perhaps some that
    /// it puts together; of these there is no limit, so there is one here.
    private static let known = Locked<[Start: String]>(heldByForks: [:])
    private static let largestKnown = 4096
    /// Some of them by identity, because hashing a key path visits its parts. One that is written in
    /// a program is mostly one object.
    private static let recent = Locked(heldByForks: RecentNames())

    /// One name for each of some places, which an object's address tells.
    private struct RecentNames {
        private var entries = [(start: Start, name: String)?](repeating: nil, count: 64)

        subscript(start: Start) -> String? {
            get {
                // The key path is kept, so no other one has its address.
                guard let entry = entries[Self.place(start)],
                    entry.start.keyPath === start.keyPath, entry.start.type == start.type
                else { return nil }
                return entry.name
            }
            set { entries[Self.place(start)] = newValue.map { (start, $0) } }
        }

        private static func place(_ start: Start) -> Int {
            Int(UInt(bitPattern: ObjectIdentifier(start.keyPath)) >> 4 & 63)
        }
    }

    /// The same for a key path of a projection: the names of the properties of its object.
    static func name<P: ProjectionObservable>(of keyPath: AnyKeyPath, from type: P.Type) -> String?
    {
        let tracer = _KeyPathTracer()
        guard let object = tracer.makeObject(P.Root.self) as? P.Root else { return nil }
        // Outside of the tracing, because making the first projection of a class traces its paths.
        let projection = P(projecting: object)
        return tracer.name(of: keyPath, from: projection)
    }

    private func name(of keyPath: AnyKeyPath, from root: Any) -> String? {
        whileTracing { _ = root[keyPath: keyPath] }
        return name
    }

    /// The thread that is tracing; 0 if none is. Looked at by every thread that reads a default.
    private static let tracingThread = Atomic<UInt>(0)
    /// Held while initialisers run, which may want all others.
    private static let lock = Locked<Void>(heldByForks: (), outermost: true)
    /// Set while `tracingThread` is, and used by that thread only.
    nonisolated(unsafe) private static var current: _KeyPathTracer?

    /// The tracer that the calling thread is following a key path with.
    static var active: _KeyPathTracer? {
        let thread = tracingThread.load(ordering: .relaxed)
        guard thread != 0, thread == currentThread(), let current, !current.isMakingObject else {
            return nil
        }
        return current
    }

    /// The objects made so far. The last one is where the path has come to.
    private var objects: [ObjectBase] = []
    /// How the objects were come to: for each the names on the way.
    private var ways: [String?] = []
    /// What was read, each with the names on the way, whether or not it is on one path.
    private var reads: [String] = []
    private var names: [String] = []
    private var isBroken = false
    /// Whatever an initialiser reads is not on the way.
    private var isMakingObject = false

    /// Makes a value; custom types read the objects that they are stored as.
    func ignoringReads<Value>(_ make: () -> Value) -> Value {
        let outer = isMakingObject
        isMakingObject = true
        defer { isMakingObject = outer }
        return make()
    }

    private var name: String? {
        isBroken || names.isEmpty ? nil : names.joined(separator: ".")
    }

    private func whileTracing(_ body: () -> Void) {
        if _KeyPathTracer.tracingThread.load(ordering: .relaxed) == currentThread() {
            // Something on the way asks for the name of a key path itself.
            let outer = _KeyPathTracer.current
            _KeyPathTracer.current = self
            body()
            _KeyPathTracer.current = outer
            return
        }
        _KeyPathTracer.lock.withLock { _ in
            _KeyPathTracer.current = self
            _KeyPathTracer.tracingThread.store(currentThread(), ordering: .relaxed)
            body()
            _KeyPathTracer.tracingThread.store(0, ordering: .relaxed)
            _KeyPathTracer.current = nil
        }
    }

    /// An object in which all properties are still to be read.
    func makeObject(_ type: ObjectBase.Type) -> ObjectBase {
        let (model, object) = ignoringReads { (ClassModel.of(type), type.init()) }
        for property in model.declared {
            property.wrapper.reset(at: object._storage(at: property.offset))
        }
        objects.append(object)
        ways.append(reads.last)
        return object
    }

    /// Records that the property at an address is read.
    func didRead(_ address: UnsafeMutableRawPointer) {
        noteRead(address)
        // Each read must go on from where the one before led to.
        guard names.count == objects.count - 1, let object = objects.last,
            let property = object._model.property(where: {
                object._storage(at: $0.offset) == address
            })
        else {
            isBroken = true
            return
        }
        names.append(property.name)
    }

    private func noteRead(_ address: UnsafeMutableRawPointer) {
        for (object, way) in zip(objects, ways) {
            guard
                let property = object._model.property(where: {
                    object._storage(at: $0.offset) == address
                })
            else { continue }
            let name = way.map { "\($0).\(property.name)" } ?? property.name
            if !reads.contains(name) { reads.append(name) }
            return
        }
    }
}
