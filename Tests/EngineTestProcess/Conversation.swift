import Glibc

typealias Scenario = @Sendable ([String]) throws -> Void

/// Tells the test something, in one line.
func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}

/// Returns the next line that the test sends.
@discardableResult
func waitForTest() -> String {
    guard let line = readLine() else { exit(0) }
    return line
}
