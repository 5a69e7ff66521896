import Foundation

extension ChildProcess {
    private static let callsShown = 8

    /// Returns how the child ended and the essence of its standard error, as the end of a sentence.
    func lastWords(in errorFile: String) -> String {
        let signal = wait()
        let errors = (try? String(contentsOfFile: errorFile, encoding: .utf8)) ?? ""
        let lines = errors.split(separator: "\n").map(String.init)
        let ending = signal == 0 ? "exit code \(exitCode)" : "signal \(signal)"
        return "ended by \(ending). \(Self.essence(of: lines))"
    }

    /// Returns the message of a program that crashed and its innermost calls. A crash may not occur
    /// again in a replay, so this may be the only clue.
    static func essence(of lines: [String]) -> String {
        let said = lines.first { $0.contains("Fatal error") || $0.contains("Program crashed") }
        let calls = lines.drop { !$0.hasSuffix("crashed:") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.first?.isNumber == true && $0.contains(" 0x") }
        return ([said ?? lines.last ?? ""] + calls.prefix(callsShown)).joined(separator: "\n    ")
    }
}
