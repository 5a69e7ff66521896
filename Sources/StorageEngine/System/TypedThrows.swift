/// What the standard library has too, but with any error where a closure throws one of a known
/// type.
extension Array where Element == UInt8 {
    /// Calls `body` with the bytes.
    @inline(__always)
    func withBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { bytes throws(Failure) in
            try body(UnsafeRawBufferPointer(bytes))
        }
    }
}

extension Unmanaged {
    /// Calls `body` with the object, which something else keeps alive: no reference is counted.
    @inline(__always)
    func withReference<Value, Failure>(
        _ body: (Instance) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result: Result<Value, Failure> = _withUnsafeGuaranteedRef { instance in
            do throws(Failure) {
                return .success(try body(instance))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
