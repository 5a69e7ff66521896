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
        let tracer = _KeyPathTracer()
        let root = unsafeDowncast(tracer.makeObject(Root.self), to: Root.self)
        tracer.whileTracing { _ = root[keyPath: keyPath] }
        return tracer.name
    }

    /// The same for the properties that those of a projection stand for.
    static func name<Root: ProjectionObservable>(of keyPath: PartialKeyPath<Root>) -> String? {
        let tracer = _KeyPathTracer()
        let object = unsafeDowncast(tracer.makeObject(Root.Root.self), to: Root.Root.self)
        // Outside of the tracing, because making the first projection of a class traces its paths.
        let projection = Root(projecting: object)
        tracer.whileTracing { _ = projection[keyPath: keyPath] }
        return tracer.name
    }

    /// The thread that is tracing; 0 if none is. Looked at by every thread that reads a default.
    private static let tracingThread = Atomic<UInt>(0)
    private static let lock = Locked<Void>(())
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
    private var names: [String] = []
    private var isBroken = false
    /// Whatever an initialiser reads is not on the way.
    private var isMakingObject = false

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
        isMakingObject = true
        defer { isMakingObject = false }
        let model = ClassModel.of(type)
        let object = type.init()
        for property in model.properties + model.computed {
            property.wrapper.reset(at: object._storage(at: property.offset))
        }
        objects.append(object)
        return object
    }

    /// Records that the property at an address is read.
    func didRead(_ address: UnsafeMutableRawPointer) {
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
}
