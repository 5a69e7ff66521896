import StorageEngine
import Synchronization

/// A tracer that finds the properties along a Swift key path by evaluating it once on objects that
/// record reads.
///
/// Each of these objects is an unmanaged object with unread properties. The first read of a
/// property calls `Persisted.makeDefault`, which calls the active tracer. The value of a link is
/// then another such object, and a collection of objects contains one.
public final class _KeyPathTracer {
    /// Returns the names of the properties along the path, joined by dots; nil if the path does not
    /// consist of persisted properties.
    static func name<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String? {
        name(of: keyPath, from: Root.self)
    }

    /// Returns the names for a key path whose root type is known only at run time; nil if the root
    /// type differs.
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

    /// Returns the names of all persisted properties that a key path reads to compute its value.
    /// Each name includes the path to the property.
    static func names(readBy keyPath: AnyKeyPath, of type: ObjectBase.Type) -> [String] {
        let tracer = _KeyPathTracer()
        _ = tracer.name(of: keyPath, from: tracer.makeObject(type))
        let reads = tracer.reads
        // Links that were only followed are left out.
        return reads.filter { read in !reads.contains { $0.hasPrefix(read + ".") } }
    }

    private struct Start: Hashable {
        var keyPath: AnyKeyPath
        var type: ObjectIdentifier
    }

    /// The names found so far. The number of key paths written in a program is limited, but a
    /// program can also compose key paths at run time, so the size of this cache is limited.
    private static let known = Locked<[Start: String]>(heldByForks: [:])
    private static let largestKnown = 4096
    /// Some of the names, by identity of the key path, because hashing a key path visits all of its
    /// parts. A key path written in a program is usually a single object.
    private static let recent = Locked(heldByForks: RecentNames())

    /// A cache with one name per slot. The address of the key path selects the slot.
    private struct RecentNames {
        private var entries = [(start: Start, name: String)?](repeating: nil, count: 64)

        subscript(start: Start) -> String? {
            get {
                // The entry retains its key path, so no other one can have the same address.
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

    /// Returns the names along a key path that begins at an object, or at something that reads one.
    func name(of keyPath: AnyKeyPath, from root: Any) -> String? {
        whileTracing { _ = root[keyPath: keyPath] }
        return name
    }

    /// The identity of the tracing thread; 0 if there is none. Every thread that reads a default
    /// value checks it.
    private static let tracingThread = Atomic<UInt>(0)
    /// A lock held while initializers run. It is outermost because initializers can take any other
    /// lock.
    private static let lock = Locked<Void>(heldByForks: (), outermost: true)
    /// The tracer in use. Set while `tracingThread` is set, and accessed only by that thread.
    nonisolated(unsafe) private static var current: _KeyPathTracer?

    /// The tracer that the calling thread is using; nil if there is none.
    static var active: _KeyPathTracer? {
        let thread = tracingThread.load(ordering: .relaxed)
        guard thread != 0, thread == currentThread(), let current, !current.isMakingObject else {
            return nil
        }
        return current
    }

    /// The objects made so far. The last one is the current end of the path.
    private var objects: [ObjectBase] = []
    /// The names along the path to each object.
    private var ways: [String?] = []
    /// The properties read so far, each with its path, including those outside of a single path.
    private var reads: [String] = []
    private var names: [String] = []
    private var isBroken = false
    /// Whether reads are ignored, because reads by an initializer are not part of the path.
    private var isMakingObject = false

    /// Returns a new value without recording reads. A custom type reads the object that it is
    /// stored as.
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
            // Something along the path asks for the name of another key path.
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

    /// Returns an object whose properties are all unread.
    func makeObject(_ type: ObjectBase.Type) -> ObjectBase {
        let (model, object) = ignoringReads { (ClassModel.of(type), type.init()) }
        for property in model.declared {
            property.wrapper.reset(at: object._storage(at: property.offset))
        }
        objects.append(object)
        ways.append(reads.last)
        return object
    }

    /// Records a read of the property at an address.
    func didRead(_ address: UnsafeMutableRawPointer) {
        noteRead(address)
        // Each read must continue from the target of the previous one.
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
