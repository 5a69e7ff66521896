import Foundation
import ToolSupport

/// The samples that perf took of a process.
enum PerfSamples {
    /// One sample; the outermost function of the stack comes first.
    struct Sample: Equatable {
        var nanoseconds: UInt64
        var stack: [String]
    }

    /// Returns the samples of a recording.
    static func read(_ file: String, perf: String) throws -> [Sample] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: perf)
        // Without inlined functions, which are looked up for minutes.
        process.arguments = [
            "script", "--input=\(file)", "--no-inline", "--ns", "--fields=time,ip,sym,dso",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.remainingBytes(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(
                .internalError,
                "perf script ended with exit code \(process.terminationStatus) for '\(file)'.")
        }
        return samples(in: text)
    }

    /// Returns the samples in the output of `perf script`: a line with the time, a line for each
    /// function from the innermost to the outermost, and an empty line.
    static func samples(in text: String) -> [Sample] {
        var samples: [Sample] = []
        var names: [Substring: String] = [:]
        var sample: Sample?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " || $0 == "\t" }
            if words.isEmpty {
                if var sample {
                    sample.stack.reverse()
                    samples.append(sample)
                }
                sample = nil
            } else if sample == nil {
                sample = time(in: words).map { Sample(nanoseconds: $0, stack: []) }
            } else if let space = words.firstIndex(of: " ") {
                let function = words[words.index(after: space)...]
                let name = names[function] ?? self.name(of: function)
                names[function] = name
                sample?.stack.append(name)
            }
        }
        return samples
    }

    /// Reads a time such as `40138.447142123:`.
    private static func time(in words: Substring) -> UInt64? {
        let parts = words.prefix { $0 != ":" }.split(separator: ".")
        guard parts.count == 2, parts[1].count == 9, let seconds = UInt64(parts[0]),
            let rest = UInt64(parts[1])
        else { return nil }
        return seconds * 1_000_000_000 + rest
    }

    /// Reads a function such as `$s13StorageEngine… (/usr/bin/realm-bench)`.
    private static func name(of function: Substring) -> String {
        guard let end = function.range(of: " (", options: .backwards) else {
            return String(function)
        }
        let symbol = function[..<end.lowerBound]
        let file = function[end.upperBound...].dropLast()
        if file.hasPrefix("[") { return symbol == "[unknown]" ? "[kernel]" : "[kernel] \(symbol)" }
        if symbol == "[unknown]" { return "[\(file.split(separator: "/").last ?? file)]" }
        return SymbolName.demangled(String(symbol))
    }

    /// Returns the tree of the samples within `spans`, which are in ascending order. Of a stack
    /// that passes through the measured region, what is outside of the region is left out; threads
    /// that work for it meanwhile have stacks of their own.
    static func tree(of samples: [Sample], within spans: [ClosedRange<UInt64>]) -> ProfileNode {
        var root = ProfileNode("measured region")
        for sample in samples where isInside(sample.nanoseconds, spans) {
            let region = sample.stack.lastIndex(of: InstructionCount.region)
            root.add(sample.stack[(region.map { $0 + 1 } ?? 0)...], cost: 1)
        }
        return root
    }

    private static func isInside(_ time: UInt64, _ spans: [ClosedRange<UInt64>]) -> Bool {
        // The first span that does not end before the time.
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].upperBound < time { low = middle + 1 } else { high = middle }
        }
        return low < spans.count && spans[low].contains(time)
    }

    /// Returns the spans in ascending order, those that overlap made one.
    static func united(_ spans: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        spans.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { united, span in
            if let last = united.last, span.lowerBound <= last.upperBound {
                united[united.count - 1] =
                    last.lowerBound...max(last.upperBound, span.upperBound)
            } else {
                united.append(span)
            }
        }
    }
}
