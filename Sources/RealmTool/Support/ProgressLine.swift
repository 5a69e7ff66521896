import Foundation
import Glibc
import ToolSupport

/// A line on standard error that tells how far a command is and how long it will take. It appears
/// on a terminal only.
final class ProgressLine {
    private let title: String
    private let isShown: Bool
    private let start = monotonicNanoseconds()
    private var lastShown: UInt64
    private var isVisible = false
    private static let nanosecondsBetween: UInt64 = 200_000_000

    init(_ title: String) {
        self.title = title
        isShown = Terminal.takesControls(STDERR_FILENO)
        lastShown = start
    }

    /// Shows how much is done, at most five times a second.
    ///
    /// - Parameters:
    ///   - all: nil if nobody knows.
    ///   - note: what else to show, given the seconds so far.
    func update(
        _ done: UInt64, of all: UInt64?, _ note: (_ seconds: Double) -> String = { _ in "" }
    ) {
        guard isShown else { return }
        let now = monotonicNanoseconds()
        guard now - lastShown >= Self.nanosecondsBetween else { return }
        lastShown = now
        let elapsed = seconds(from: start, to: now)
        let line = Self.line(title, done, of: all, seconds: elapsed, note: note(elapsed))
        // A line that wraps could not be cleared.
        let limit = max(20, Terminal.width(of: STDERR_FILENO) - 1)
        Terminal.write(
            "\r\u{1B}[K" + TerminalWidth.prefix(of: line, columns: limit), to: STDERR_FILENO)
        isVisible = true
    }

    /// The text of the line.
    static func line(
        _ title: String, _ done: UInt64, of all: UInt64?, seconds: Double, note: String
    ) -> String {
        var parts = [title]
        let share = all.map { $0 == 0 ? 1 : min(1, Double(done) / Double($0)) }
        if let share { parts.append("\(Int(share * 100)) %") }
        if !note.isEmpty { parts.append(note) }
        if let share, share > 0, seconds >= 0.5 {
            parts.append(duration(seconds / share - seconds) + " left")
        }
        return parts.joined(separator: "  ")
    }

    /// Formats seconds as `0:07`, `12:00` or `3:05:00`.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), 1e9).rounded())
        let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
        return hours > 0
            ? String(format: "%d:%02d:%02d", hours, minutes, rest)
            : String(format: "%d:%02d", minutes, rest)
    }

    /// Formats how many rows there were in how many seconds.
    static func rows(_ count: Int, _ seconds: Double) -> String {
        let rate = seconds > 0 ? Double(count) / seconds : 0
        return "\(Display.grouped(count)) rows  \(Display.grouped(Int(rate)))/s"
    }

    func clear() {
        if isVisible { Terminal.write("\r\u{1B}[K", to: STDERR_FILENO) }
        isVisible = false
    }
}
