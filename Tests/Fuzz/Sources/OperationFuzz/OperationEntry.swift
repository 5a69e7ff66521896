// The function that libFuzzer calls, in one process with one thread.

/// Carries out the input on a new database and on a model.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = OperationInput(UnsafeRawBufferPointer(start: data, count: count))
    var run = OperationRun(input)
    do { try run.run() } catch { fatalError("an error without a cause: \(error)") }
    return 0
}
