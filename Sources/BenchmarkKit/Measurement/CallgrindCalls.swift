import Foundation
import ToolSupport

/// The calls that callgrind counted: what each function cost by itself and through each function
/// that it called.
struct CallgrindCalls {
    private struct Function {
        var own = 0.0
        var callees: [Int: Double] = [:]

        var total: Double { own + callees.values.reduce(0, +) }
    }

    private var functions: [Function] = []
    private var names: [String] = []
    private var numbers: [String: Int] = [:]

    /// Reads a file of callgrind with one event.
    init(contentsOf file: String) throws {
        let text: String
        do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
            throw BenchmarkError(
                .internalError,
                "callgrind left no file '\(file)': \((error as NSError).localizedDescription)")
        }
        self.init(text)
    }

    init(_ text: String) {
        /// The names by the numbers that stand for them after their first use.
        var known: [Substring: String] = [:]
        var function: Int?
        var callee: Int?
        var isCall = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("fn=") {
                function = number(of: Self.name(line.dropFirst(3), &known))
            } else if line.hasPrefix("cfn=") {
                callee = number(of: Self.name(line.dropFirst(4), &known))
            } else if line.hasPrefix("calls=") {
                isCall = true
            } else if let function, let cost = Self.cost(line) {
                // The line after `calls=` has what all these calls cost, any other one what the
                // function cost by itself.
                if isCall, let callee {
                    functions[function].callees[callee, default: 0] += cost
                } else {
                    functions[function].own += cost
                }
                isCall = false
            }
        }
    }

    /// Reads the cost at the end of a line that begins with a position, such as `+3 60`.
    private static func cost(_ line: Substring) -> Double? {
        guard let first = line.first, first.isNumber || "+-*".contains(first) else { return nil }
        return line.split(separator: " ").dropFirst().last.flatMap { Double($0) }
    }

    /// Reads `(12) name`, which gives the name a number, or `(12)`.
    private static func name(_ text: Substring, _ known: inout [Substring: String]) -> String {
        guard let end = text.firstIndex(of: ")") else { return String(text) }
        let number = text[...end]
        let name = text[text.index(after: end)...].drop { $0 == " " }
        if !name.isEmpty { known[number] = SymbolName.demangled(String(name)) }
        return known[number] ?? String(number)
    }

    private mutating func number(of name: String) -> Int {
        if let number = numbers[name] { return number }
        numbers[name] = names.count
        names.append(name)
        functions.append(Function())
        return names.count - 1
    }

    /// Returns the tree below a function. Callgrind does not tell stacks, only who calls whom: what
    /// a function costs is divided among its callers as they caused it, and what it calls costs the
    /// same share below each of them. Parts of less than a thousandth are left out.
    func tree(below name: String) -> ProfileNode {
        var root = ProfileNode("measured region")
        guard let number = numbers[name] else { return root }
        root.cost = functions[number].total
        root.callees = callees(of: number, cost: root.cost, least: root.cost / 1000, path: [number])
        return root
    }

    private func callees(
        of number: Int, cost: Double, least: Double, path: Set<Int>
    ) -> [ProfileNode] {
        let total = functions[number].total
        guard total > 0 else { return [] }
        // In the order of names, since that of a dictionary differs from run to run.
        return functions[number].callees.sorted { names[$0.key] < names[$1.key] }
            .compactMap { callee, share in
                var node = ProfileNode(names[callee])
                node.cost = cost * share / total
                guard node.cost >= least else { return nil }
                // A function that calls itself through others is not followed again.
                if !path.contains(callee) {
                    node.callees = callees(
                        of: callee, cost: node.cost, least: least, path: path.union([callee]))
                }
                return node
            }
    }
}
