import Foundation
import Glibc

/// The output for people: results on standard output, and progress on standard error, so that the
/// results can be kept apart. Colours and status lines appear only on a terminal, and colours only
/// if `NO_COLOR` is not set.
package final class Terminal {
    package enum Style: String {
        case bold = "1"
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// Whether status lines appear.
    package let isInteractive: Bool
    private let isQuiet: Bool
    private let hasColors: Bool
    private var hasStatusLine = false

    /// - Parameter isQuiet: Whether progress is left out, warnings excepted.
    package init(isQuiet: Bool = false) {
        self.isQuiet = isQuiet
        isInteractive = Self.takesControls(STDERR_FILENO)
        let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
        hasColors = isInteractive && Self.takesControls(STDOUT_FILENO) && noColor.isEmpty
    }

    /// Whether a descriptor is of a terminal that moves its cursor and shows colours.
    package static func takesControls(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    package func print(_ text: String) {
        clearStatus()
        write(text + "\n")
    }

    package func warn(_ text: String) { tell(styled("Warning: ", .yellow) + text) }

    /// Tells how far the work is.
    package func note(_ text: String) { if !isQuiet { tell(text) } }

    private func tell(_ text: String) {
        clearStatus()
        Self.write(text + "\n", to: STDERR_FILENO)
    }

    /// Shows a line that the next one replaces; not shown in a pipe.
    package func status(_ text: String) {
        guard isInteractive, !isQuiet else { return }
        let shown = text.prefix(max(20, Self.width(of: STDERR_FILENO) - 1))
        Self.write("\r\u{1B}[K\(shown)", to: STDERR_FILENO)
        hasStatusLine = true
    }

    package func clearStatus() {
        guard hasStatusLine else { return }
        Self.write("\r\u{1B}[K", to: STDERR_FILENO)
        hasStatusLine = false
    }

    package func styled(_ text: String, _ style: Style) -> String {
        hasColors ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    private func write(_ text: String) { Self.write(text, to: STDOUT_FILENO) }

    /// Writes without buffering, so that lines of this process and of others keep their order. A
    /// closed pipe is reported by a signal; its remaining output is discarded. What standard output
    /// does not take is an error at the end: see ``StandardOutput``.
    package static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                if descriptor == STDOUT_FILENO { StandardOutput.failed(errno) }
                return
            }
            bytes = bytes.dropFirst(written)
        }
    }

    /// The columns of a terminal; 80 for what is none, or does not say.
    package static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        let request = UInt(TIOCGWINSZ)
        guard ioctl(descriptor, request, &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

/// The formats of numbers for people.
package enum Display {
    /// Formats a number as `1,234,567`, or with three digits below a thousand.
    package static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "" }
        if abs(value) >= 1000 { return grouped(Int(value.rounded())) }
        if value == value.rounded() { return String(Int(value)) }
        let digits = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 4
        return String(format: "%.\(digits)f", value)
    }

    /// Formats a number of things: `1 object`, `2,000 objects`, `3 classes`.
    ///
    /// - Parameter plural: nil for the noun with an s.
    package static func count(_ value: Int, _ noun: String, _ plural: String? = nil) -> String {
        "\(grouped(value)) \(value == 1 ? noun : plural ?? noun + "s")"
    }

    package static func grouped(_ value: Int) -> String {
        let digits = String(abs(value))
        var text = ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// Formats bytes as `12.3 MB`, with powers of a thousand.
    package static func bytes(_ value: Int?) -> String {
        guard let value else { return "" }
        if value >= 1_000_000_000 { return String(format: "%.2f GB", Double(value) / 1e9) }
        if value >= 1_000_000 { return String(format: "%.1f MB", Double(value) / 1e6) }
        if value >= 1000 { return String(format: "%.1f kB", Double(value) / 1e3) }
        return "\(value) B"
    }
}
