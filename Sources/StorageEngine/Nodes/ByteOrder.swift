#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Compares bytes as unsigned numbers; a prefix comes first. Returns a negative number, zero or a
/// positive number.
@inline(__always)
func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    let shared = min(a.count, b.count)
    if shared > 0, let a = a.baseAddress, let b = b.baseAddress {
        let order = memcmp(a, b, shared)
        if order != 0 { return Int(order) }
    }
    return a.count - b.count
}
