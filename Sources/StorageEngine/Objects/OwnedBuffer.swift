/// Memory for a fixed number of values of a trivial type, which frees itself. An array would count
/// references, and check bounds, at each access.
struct OwnedBuffer<Element>: ~Copyable {
    let start: UnsafeMutablePointer<Element>

    /// Fills the buffer with the values for `0..<count`.
    init(count: Int, _ value: (Int) -> Element) {
        assert(_isPOD(Element.self), "values that need to be destroyed")
        start = .allocate(capacity: count)
        for index in 0..<count { (start + index).initialize(to: value(index)) }
    }

    deinit { start.deallocate() }

    /// The value at an index, which must be in range.
    subscript(index: Int) -> Element {
        @inline(__always)
        unsafeAddress { UnsafePointer(start + index) }
        @inline(__always)
        nonmutating unsafeMutableAddress { start + index }
    }
}
