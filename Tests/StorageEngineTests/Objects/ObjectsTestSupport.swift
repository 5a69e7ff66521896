import ToolSupport

@testable import StorageEngine

struct TestFailure: Error {
    var message: String
    init(_ message: String) { self.message = message }
}

extension SeededGenerator {
    mutating func next(below bound: Int) -> Int { Int(next(upperBound: UInt64(bound))) }
}
