import StorageEngine

/// Reusable memory in which a row is put together before the engine copies it.
///
/// Belongs to one Realm instance. What it hands out is valid until `reset()`.
public final class _Scratch {
    // Safe because the Realm owns its scratch memory and hands it out for the time of a call.
    unowned(unsafe) let realm: RealmInstance
    // Unchecked: one thread uses it, and nothing is called while a field is being changed.
    @exclusivity(unchecked) private(set) var values: UnsafeMutableBufferPointer<Scalar>
    @exclusivity(unchecked) private var bytes: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private var used = 0
    /// Blocks that became too small since the last reset; scalars still point into them.
    @exclusivity(unchecked) private var outgrown: [UnsafeMutableRawBufferPointer] = []
    /// Set when a value could not be gathered before its object has a key: links to unmanaged
    /// objects, and lists.
    @exclusivity(unchecked) var hasDeferredValues = false
    /// What to do with linked objects whose primary key exists already.
    @exclusivity(unchecked) var update = Realm.UpdatePolicy.error
    /// While a row is put together, which asks the application for the persisted form of custom
    /// types: should it look something up in the Realm to answer, what is here already stays.
    @exclusivity(unchecked) private var isGathering = false

    init(realm: RealmInstance) {
        self.realm = realm
        values = .allocate(capacity: 64)
        bytes = .allocate(byteCount: 1 << 16, alignment: 16)
    }

    deinit {
        values.deallocate()
        reset()
        bytes.deallocate()
    }

    /// Runs `body`, which puts a row together.
    @inline(__always)
    func gather(_ body: () -> Void) {
        if isGathering { stop("An object cannot be added while another one is being stored.") }
        reset()
        isGathering = true
        body()
        isGathering = false
    }

    func reset() {
        if isGathering { return }
        used = 0
        hasDeferredValues = false
        if !outgrown.isEmpty {
            for block in outgrown { block.deallocate() }
            outgrown.removeAll()
        }
    }

    /// Stands for a value that the second step of adding its object stores.
    @usableFromInline
    func _defer() -> Scalar {
        hasDeferredValues = true
        return .null
    }

    /// Memory for the values of one row. `Scalar` is trivial, so nothing is initialised.
    func row(columns: Int) -> UnsafeMutableBufferPointer<Scalar> {
        if values.count < columns {
            values.deallocate()
            values = .allocate(capacity: columns)
        }
        return UnsafeMutableBufferPointer(rebasing: values[..<columns])
    }

    func copy(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if bytes.count - used < source.count { grow(by: source.count) }
        let copy = UnsafeMutableRawBufferPointer(rebasing: bytes[used..<used + source.count])
        copy.copyMemory(from: source)
        used += source.count
        return UnsafeRawBufferPointer(copy)
    }

    private func grow(by count: Int) {
        outgrown.append(bytes)
        bytes = .allocate(byteCount: max(bytes.count * 2, count), alignment: 16)
        used = 0
    }
}
