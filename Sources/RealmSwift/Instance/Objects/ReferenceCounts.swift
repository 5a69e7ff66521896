/// Access to the second word of an object. It holds the strong and unowned reference counts and a
/// flag for an object being deallocated, or the address of a side table once there are weak
/// references.
///
/// The layout of the word is not assumed: the values needed are read from objects in known states.
@usableFromInline
enum ReferenceCounts {
    @inlinable @inline(__always)
    static func of(_ object: ObjectBase) -> UInt64 {
        of(Unmanaged.passUnretained(object).toOpaque())
    }

    @inlinable @inline(__always)
    static func of(_ object: UnsafeMutableRawPointer) -> UInt64 {
        UnsafeRawPointer(object).load(fromByteOffset: 8, as: UInt64.self)
    }

    /// Returns the object, uncounted, if a reference is the only one to it; nil if there is no
    /// object, or other references. The variable keeps the object alive.
    ///
    /// - Parameters:
    ///   - object: A copy would increment the count.
    ///   - soleReference: The word of an object with one reference.
    @inlinable @inline(__always)
    static func sole(
        _ object: inout ObjectBase?, _ soleReference: UInt64
    ) -> Unmanaged<ObjectBase>? {
        withUnsafeBytes(of: &object) {
            guard let object = $0.load(as: UnsafeMutableRawPointer?.self),
                of(object) == soleReference
            else { return nil }
            return Unmanaged.fromOpaque(object)
        }
    }

    /// The word of an object with one strong reference and nothing else. Any other word means that
    /// there may be other references to the object.
    static let ofSoleReference = states.sole

    private static let deallocationFlag = states.deallocating & ~states.sole

    /// Adds a strong reference unless the last one is already gone. Returns whether a reference was
    /// added.
    ///
    /// There must be no weak references to the object, and its memory must not be freed during the
    /// call. The caller ensures the latter by holding a lock that the deinitializer waits for.
    ///
    /// The runtime sets the flag in the same atomic step that removes the last reference. If the
    /// flag is not set after the increment, the last reference had not been removed before, and now
    /// cannot be. If the flag is set, the increment did not affect the deallocation, and is undone.
    ///
    /// Not optimized, because reordering the two steps would break this.
    @_optimize(none) @inline(never)
    static func retainUnlessDeallocating<Object>(_ object: Unmanaged<Object>) -> Bool {
        _ = object.retain()
        if of(object.toOpaque()) & deallocationFlag == 0 { return true }
        object.release()
        return false
    }

    // MARK: Known states

    private static let states: (sole: UInt64, deallocating: UInt64) = {
        var recorded: UInt64 = 0
        let sole = withUnsafeMutablePointer(to: &recorded) { recorder in
            let probe = Unmanaged.passRetained(Probe(recorder))
            let sole = of(probe.toOpaque())
            probe.release()
            return sole
        }
        precondition(
            (recorded & ~sole).nonzeroBitCount == 1, "unknown layout of reference counts")
        return (sole, recorded)
    }()

    /// An object that records its own word while it is deallocated.
    private final class Probe {
        private let recorder: UnsafeMutablePointer<UInt64>

        init(_ recorder: UnsafeMutablePointer<UInt64>) { self.recorder = recorder }

        deinit { recorder.pointee = of(Unmanaged.passUnretained(self).toOpaque()) }
    }
}
