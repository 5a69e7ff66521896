import Glibc

// Functions that libFuzzer calls, in one process with one thread.

/// Makes a file from the input, and uses it as an application might.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = FuzzInput(UnsafeRawBufferPointer(start: data, count: count))
    let seed = SeedFile.all[Int(input.seed) % SeedFile.all.count]
    FuzzRun(input: input, seed: seed).run()
    return 0
}

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
    _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: CUnsignedInt
) -> Int {
    var random = FuzzRandom(seed: UInt64(seed))
    var input = FuzzInput(UnsafeRawBufferPointer(start: data, count: count))
    input.mutate(&random)
    return input.encode(to: UnsafeMutableRawBufferPointer(start: data, count: capacity))
}

@_cdecl("LLVMFuzzerCustomCrossOver")
public func crossOver(
    _ first: UnsafePointer<UInt8>, _ firstCount: Int, _ second: UnsafePointer<UInt8>,
    _ secondCount: Int, _ result: UnsafeMutablePointer<UInt8>, _ capacity: Int,
    _ seed: CUnsignedInt
) -> Int {
    var random = FuzzRandom(seed: UInt64(seed))
    var input = FuzzInput(UnsafeRawBufferPointer(start: first, count: firstCount))
    let other = FuzzInput(UnsafeRawBufferPointer(start: second, count: secondCount))
    input.cross(with: other, &random)
    return input.encode(to: UnsafeMutableRawBufferPointer(start: result, count: capacity))
}
