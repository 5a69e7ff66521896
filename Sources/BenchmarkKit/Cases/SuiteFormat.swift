import Foundation
import ToolSupport

/// What the JSON file of a suite may contain. The check of its keys and the schema that
/// `describe-suite` prints are made of this table.
struct SuiteFormat {
    /// An object of the file, with its keys.
    struct Part: Sendable {
        /// The name in messages, as in `case 3`.
        var name: String
        var meaning: String
        var keys: [Key]
    }

    struct Key: Sendable {
        var name: String
        var value: Value
        var meaning: String
        var isRequired = false
    }

    indirect enum Value: Sendable {
        case text
        /// One of these texts.
        case choice([String])
        case number
        case integer
        case flag
        case list(Value)
        /// The part of this name.
        case part(String)
    }

    static let suite = "suite"

    static let parts: [Part] = [
        Part(
            name: suite, meaning: "A list of cases, with the models that they use.",
            keys: [
                Key(name: "name", value: .text, meaning: "The name.", isRequired: true),
                Key(
                    name: "description", value: .text, meaning: "What it is for, in a line.",
                    isRequired: true),
                Key(
                    name: "models", value: .list(.part("model")),
                    meaning: "Workloads over classes that are described here."),
                Key(
                    name: "cases", value: .list(.part("case")), meaning: "What runs, in order.",
                    isRequired: true),
            ]),
        Part(
            name: "case", meaning: "Strategies of one workload, with their options.",
            keys: [
                Key(
                    name: "workload", value: .text,
                    meaning: "A workload, as 'list' shows them, or a model.", isRequired: true),
                Key(
                    name: "strategies", value: .list(.text),
                    meaning: "Strategies of the workload. Default: all."),
                Key(name: "engines", value: .list(.text), meaning: "Databases. Default: realm."),
                Key(
                    name: "durabilities",
                    value: .list(.choice(Durability.allCases.map(\.rawValue))),
                    meaning: "What a commit survives. Default: full."),
                Key(
                    name: "encrypted", value: .list(.flag),
                    meaning: "Whether files are encrypted; both for a comparison. Default: false."),
            ] + options),
        Part(
            name: "model", meaning: "A workload over classes that are made up for it.",
            keys: [
                Key(
                    name: "name", value: .text, meaning: "The name of the workload.",
                    isRequired: true),
                Key(name: "summary", value: .text, meaning: "What it does, in a line."),
                Key(
                    name: "classes", value: .list(.part("class")),
                    meaning: "The classes. Links lead to classes that come before.",
                    isRequired: true),
                Key(
                    name: "operations", value: .list(.part("operation")),
                    meaning: "What is done, mixed by share.", isRequired: true),
            ]),
        Part(
            name: "class", meaning: "A class of a model.",
            keys: [
                Key(name: "name", value: .text, meaning: "The name.", isRequired: true),
                Key(
                    name: "objects", value: .integer,
                    meaning: "The objects in the file before the measurement. --size scales the "
                        + "sum over all classes.", isRequired: true),
                Key(
                    name: "properties", value: .list(.part("property")),
                    meaning: "The properties.", isRequired: true),
            ]),
        Part(
            name: "property", meaning: "A property, and the values that it gets.",
            keys: [
                Key(name: "name", value: .text, meaning: "The name.", isRequired: true),
                Key(
                    name: "type",
                    value: .choice(ModelDescription.PropertyType.allCases.map(\.rawValue)),
                    meaning: "The type of the values. A date is in seconds since 2001.",
                    isRequired: true),
                Key(
                    name: "primary_key", value: .flag,
                    meaning: "Whether objects are found by it; its values are numbers in order."),
                Key(name: "indexed", value: .flag, meaning: "Whether it has an index."),
                Key(
                    name: "nulls", value: .number,
                    meaning: "The share of objects without a value, from 0 to 1."),
                Key(
                    name: "range", value: .list(.number),
                    meaning: "The least and the greatest number. Default: 0 to 999999 for an int, "
                        + "0 to 1 for a float or double."),
                Key(
                    name: "length", value: .list(.integer),
                    meaning: "The least and the greatest number of letters or bytes. Default: 8 "
                        + "to 20."),
                Key(
                    name: "distinct", value: .integer,
                    meaning: "How many different values there are."),
                Key(
                    name: "distribution",
                    value: .choice(ModelDescription.Distribution.allCases.map(\.rawValue)),
                    meaning: "Whether all of the different values, or targets of links, are "
                        + "equally frequent (uniform) or few are much more so (zipfian)."),
                Key(
                    name: "target", value: .text,
                    meaning: "The class that links lead to; objects of it are never deleted."),
            ]),
        Part(
            name: "operation", meaning: "One kind of operation.",
            keys: [
                Key(
                    name: "do",
                    value: .choice(ModelDescription.Operation.Kind.allCases.map(\.rawValue)),
                    meaning: "What it does to one object.", isRequired: true),
                Key(name: "class", value: .text, meaning: "The class.", isRequired: true),
                Key(
                    name: "share", value: .number,
                    meaning: "How often it is chosen, relative to the others.", isRequired: true),
                Key(
                    name: "properties", value: .list(.text),
                    meaning: "What is read, or gets another value. Default: all, but no key is "
                        + "changed."),
                Key(
                    name: "choice",
                    value: .choice(ModelDescription.Operation.Choice.allCases.map(\.rawValue)),
                    meaning: "Which objects are chosen: all equally (uniform, the default), some "
                        + "much more often (zipfian), or those above all that came last (latest)."),
            ]),
    ]

    private static let options = CaseOption.allCases.filter { $0 != .seed }.map { option in
        Key(
            name: option.suiteKey, value: option.suiteValue,
            meaning: "As --\(option.rawValue) of 'run'.")
    }

    private static let byName = Dictionary(uniqueKeysWithValues: parts.map { ($0.name, $0) })

    // MARK: Keys of a file

    /// Throws a usage error that names the first unknown key, and where it is. The decoder ignores
    /// such a key, so that a misspelt one would have no effect. What is no suite otherwise is left
    /// to the decoder.
    static func checkKeys(_ data: Data) throws {
        let document = try JSONSerialization.jsonObject(with: data)
        try check(document, .part(suite), place: "a suite")
        if ((document as? [String: Any])?["cases"] as? [Any])?.isEmpty == true {
            throw BenchmarkError(.usage, "it has no cases.")
        }
    }

    private static func check(_ value: Any, _ kind: Value, place: String) throws {
        switch kind {
        case .list(.part(let name)):
            for (index, element) in ((value as? [Any]) ?? []).enumerated() {
                let within = place == "a suite" ? "" : " of \(place)"
                try check(element, .part(name), place: "\(name) \(index + 1)\(within)")
            }
        case .part(let name):
            guard let object = value as? [String: Any], let part = byName[name] else { return }
            let known = part.keys.map(\.name)
            if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
                throw BenchmarkError(
                    .usage,
                    "'\(unknown)' is no key of \(place). "
                        + NameSuggestion.hint(for: unknown, among: known))
            }
            for key in part.keys {
                if let value = object[key.name] { try check(value, key.value, place: place) }
            }
        case .text, .choice, .number, .integer, .flag, .list: return
        }
    }

    // MARK: Schema

    /// The schema of a suite's file, in the draft 2020-12 of JSON Schema.
    static func schema() throws -> String {
        var document = object(of: parts[0])
        document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        document["title"] = "A suite of \(ToolProgram.current.name)"
        document["$defs"] = Dictionary(
            uniqueKeysWithValues: parts.dropFirst().map { ($0.name, object(of: $0)) })
        let data = try JSONSerialization.data(
            withJSONObject: document,
            options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    private static func object(of part: Part) -> [String: Any] {
        let properties = part.keys.map { key -> (String, Any) in
            var property = schema(of: key.value)
            property["description"] = key.meaning
            return (key.name, property)
        }
        return [
            "type": "object", "description": part.meaning, "additionalProperties": false,
            "required": part.keys.filter(\.isRequired).map(\.name),
            "properties": Dictionary(uniqueKeysWithValues: properties),
        ]
    }

    private static func schema(of value: Value) -> [String: Any] {
        switch value {
        case .text: ["type": "string"]
        case .choice(let texts): ["type": "string", "enum": texts]
        case .number: ["type": "number"]
        case .integer: ["type": "integer"]
        case .flag: ["type": "boolean"]
        case .list(let element): ["type": "array", "items": schema(of: element)]
        case .part(let name): ["$ref": "#/$defs/\(name)"]
        }
    }
}

extension CaseOption {
    fileprivate var suiteValue: SuiteFormat.Value {
        switch self {
        case .seconds, .rate, .warmup: .number
        case .input: .text
        default: .integer
        }
    }
}
