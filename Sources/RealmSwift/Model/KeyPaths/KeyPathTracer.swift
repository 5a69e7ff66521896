import StorageEngine
import Synchronization

/// A tracer that finds the properties along a Swift key path by evaluating it once on objects that
/// record reads.
///
/// Each of these objects is an unmanaged object with unread properties. The first read of a
/// property calls `Persisted.makeDefault`, which calls the active tracer. The value of a link is
/// then another such object, and a collection of objects contains one.
public final class _KeyPathTracer {
    /// Returns the names of the properties along a key path, joined by dots; nil if the path does
    /// not consist of persisted properties, or does not begin at the type. `makeRoot` makes an
    /// object of the type.
    static func name(
        of keyPath: AnyKeyPath, from type: ObjectIdentifier, makeRoot: (_KeyPathTracer) -> Any
    ) -> String? {
        let start = Start(keyPath: keyPath, type: type)
        if let name = recent.withLock({ $0[start] }) { return name }
        guard let name = knownName(start) ?? tracedName(of: keyPath, makeRoot) else { return nil }
        known.withLock { if $0.count < largestKnown { $0[start] = name } }
        recent.withLock { $0[start] = name }
        return name
    }

    private static func knownName(_ start: Start) -> String? { known.withLock { $0[start] } }

    private static func tracedName(
        of keyPath: AnyKeyPath, _ makeRoot: (_KeyPathTracer) -> Any
    ) -> String? {
        let tracer = _KeyPathTracer()
        return tracer.name(of: keyPath, from: makeRoot(tracer))
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

    /// An object that was made for the trace, with the offsets and names of its properties.
    private struct Target {
        let object: AnyObject
        let properties: [(offset: Int, name: String)]

        func name(ofPropertyAt address: UnsafeMutableRawPointer) -> String? {
            let offset = address - Unmanaged.passUnretained(object).toOpaque()
            return properties.first { $0.offset == offset }?.name
        }
    }

    /// The objects made so far. The last one is the current end of the path.
    private var targets: [Target] = []
    /// The names along the path to each object.
    private var ways: [String?] = []
    /// The properties read so far, each with its path, including those outside of a single path.
    private(set) var reads: [String] = []
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

    /// Adds an object whose properties are all unread.
    func add(_ object: AnyObject, properties: [(offset: Int, name: String)]) {
        targets.append(Target(object: object, properties: properties))
        ways.append(reads.last)
    }

    /// Records a read of the property at an address.
    func didRead(_ address: UnsafeMutableRawPointer) {
        noteRead(address)
        // Each read must continue from the target of the previous one.
        guard names.count == targets.count - 1,
            let name = targets.last?.name(ofPropertyAt: address)
        else {
            isBroken = true
            return
        }
        names.append(name)
    }

    private func noteRead(_ address: UnsafeMutableRawPointer) {
        for (target, way) in zip(targets, ways) {
            guard let property = target.name(ofPropertyAt: address) else { continue }
            let name = way.map { "\($0).\(property)" } ?? property
            if !reads.contains(name) { reads.append(name) }
            return
        }
    }
}
