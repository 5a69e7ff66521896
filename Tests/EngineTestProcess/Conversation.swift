import Glibc

typealias Scenario = @Sendable ([String]) throws -> Void

/// Sends a line to the test.
func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Returns the next line from the test.
@discardableResult
func waitForTest() -> String {
    guard let line = readLine() else { exit(0) }
    return line
}
