/// The second word of every object: its strong and unowned reference counts and a flag that it is
/// being deallocated, or the address of a side table once there are weak references to it.
///
/// The layout of the word is not assumed: the values needed are taken from objects in known states.
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

    /// Whether a reference is the only one to its object, given the counts of such an object. By
    /// reference, because a copy would count.
    @inline(__always)
    static func isSole(_ object: inout ObjectBase?, _ soleReference: UInt64) -> Bool {
        withUnsafeBytes(of: &object) {
            guard let object = $0.load(as: UnsafeMutableRawPointer?.self) else { return false }
            return of(object) == soleReference
        }
    }

    /// The counts of an object with one strong reference and nothing else. A word that differs, for
    /// whatever reason, means that somebody else may be referring to the object.
    static let ofSoleReference = states.sole

    private static let deallocationFlag = states.deallocating & ~states.sole

    /// Adds a strong reference, unless the last one has gone already, and returns whether it did.
    /// There must be no weak references to the object, and its memory must not go meanwhile: its
    /// deinitialiser waits for a lock that the caller holds.
    ///
    /// The runtime sets the flag in the same atomic step that takes the last reference away. So if
    /// the flag is not set after counting, the last reference had not gone before, and cannot go
    /// any more. If it is set, counting changed nothing about the deallocation, and is taken back.
    ///
    /// Not optimised, because reordering the two steps would break this.
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

    /// Records its own word while it is deallocated.
    private final class Probe {
        private let recorder: UnsafeMutablePointer<UInt64>

        init(_ recorder: UnsafeMutablePointer<UInt64>) { self.recorder = recorder }

        deinit { recorder.pointee = of(Unmanaged.passUnretained(self).toOpaque()) }
    }
}
