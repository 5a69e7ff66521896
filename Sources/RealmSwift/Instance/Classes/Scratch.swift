import StorageEngine

/// Reusable memory in which a row is assembled before the engine copies it.
///
/// It belongs to one Realm instance. The memory returned is valid until `reset()`.
public final class _Scratch {
    // Safe because the Realm, or a thread that uses it, owns the scratch memory, and passes it on
    // only for the duration of a call.
    unowned(unsafe) private(set) var realm: RealmInstance
    // Unchecked exclusivity is safe, because only one thread uses the fields, and nothing is called
    // while a field is changed.
    @exclusivity(unchecked) private(set) var values: UnsafeMutableBufferPointer<Scalar>
    @exclusivity(unchecked) private var bytes: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private var used = 0
    /// Blocks that became too small since the last reset. They are kept because scalars still point
    /// into them.
    @exclusivity(unchecked) private var outgrown: [UnsafeMutableRawBufferPointer] = []
    /// Whether some values could not be gathered before their object has a key, such as links to
    /// unmanaged objects, and lists.
    @exclusivity(unchecked) var hasDeferredValues = false
    /// The update policy for linked objects whose primary key exists.
    @exclusivity(unchecked) var update = Realm.UpdatePolicy.error
    /// Whether a row is being assembled. This calls application code for the persisted form of
    /// custom types. A lookup in the Realm by that code must not reset the memory.
    @exclusivity(unchecked) private var isGathering = false

    init(realm: RealmInstance, byteCount: Int = 1 << 16) {
        self.realm = realm
        values = .allocate(capacity: 64)
        bytes = .allocate(byteCount: byteCount, alignment: 16)
    }

    /// Goes over to another Realm. Memory for a large value is freed.
    func adopt(_ realm: RealmInstance) {
        reset()
        self.realm = realm
        if bytes.count <= 1 << 16 { return }
        bytes.deallocate()
        bytes = .allocate(byteCount: 1 << 10, alignment: 16)
    }

    deinit {
        values.deallocate()
        reset()
        bytes.deallocate()
    }

    /// Runs `body`, which assembles a row.
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

    /// Returns a placeholder for a value that the second step of adding its object stores.
    @usableFromInline
    func _defer() -> Scalar {
        hasDeferredValues = true
        return .null
    }

    /// Returns memory for the values of one row. It is not initialized, which is safe because
    /// `Scalar` is trivial.
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
