import ToolSupport

/// One line of text that says what a layer is to try: `process-death/alone seed=7 kill=before:17`.
///
/// A point that leaves out a setting means all its values, or the default: `process-death/alone
/// seed=7` kills at every call. The point reported with a failure names every setting.
package struct StressPoint: Equatable, Sendable {
    package var layer: String
    package var scenario: String
    private var settings: [Setting] = []

    private struct Setting: Equatable {
        var name: String
        var value: String
    }

    package init(_ layer: String, _ scenario: String) {
        self.layer = layer
        self.scenario = scenario
    }

    var settingNames: [String] { settings.map(\.name) }

    package subscript(name: String) -> String? {
        settings.first { $0.name == name }?.value
    }

    /// Returns the same point with a setting replaced or appended, or, for nil, left out.
    package func with(_ name: String, _ value: (some CustomStringConvertible)?) -> StressPoint {
        var copy = self
        let position = settings.firstIndex { $0.name == name }
        if let value {
            let setting = Setting(name: name, value: value.description)
            if let position {
                copy.settings[position] = setting
            } else {
                copy.settings.append(setting)
            }
        } else if let position {
            copy.settings.remove(at: position)
        }
        return copy
    }

    package func without(_ names: String...) -> StressPoint {
        names.reduce(self) { $0.with($1, String?.none) }
    }
}

extension StressPoint: LosslessStringConvertible {
    package var description: String {
        (["\(layer)/\(scenario)"] + settings.map { "\($0.name)=\($0.value)" })
            .joined(separator: " ")
    }

    package init?(_ text: String) {
        let words = text.split(separator: " ")
        let names = words.first?.split(separator: "/", omittingEmptySubsequences: false) ?? []
        guard names.count == 2, !names[0].isEmpty, !names[1].isEmpty else { return nil }
        self.init(String(names[0]), String(names[1]))
        for word in words.dropFirst() {
            guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                return nil
            }
            let name = String(word[..<equals])
            guard self[name] == nil else { return nil }
            settings.append(
                Setting(name: name, value: String(word[word.index(after: equals)...])))
        }
    }
}

// MARK: Reading settings

extension StressPoint {
    /// Returns the value of a setting, or nil if it is left out.
    ///
    /// - Throws: a usage error for a value that cannot be read.
    package func value<Value: LosslessStringConvertible>(
        _ name: String, as type: Value.Type = Value.self
    ) throws -> Value? {
        guard let text = self[name] else { return nil }
        guard let value = Value(text) else { throw unreadable(name, text) }
        return value
    }

    package func value<Value: LosslessStringConvertible>(
        _ name: String, default other: Value
    ) throws -> Value {
        try value(name) ?? other
    }

    package func value<Value: RawRepresentable<String>>(
        _ name: String, default other: Value
    ) throws -> Value {
        guard let text = self[name] else { return other }
        guard let value = Value(rawValue: text) else { throw unreadable(name, text) }
        return value
    }

    /// Returns a number within bounds, so that a typed line cannot ask for the impossible.
    package func number(
        _ name: String, in bounds: ClosedRange<Int>, default other: Int
    ) throws -> Int {
        let number = try value(name, default: other)
        guard bounds.contains(number) else { throw unreadable(name, String(number)) }
        return number
    }

    func unreadable(_ name: String, _ text: String) -> BenchmarkError {
        BenchmarkError(.usage, "'\(name)=\(text)' means nothing in '\(self)'.")
    }
}
