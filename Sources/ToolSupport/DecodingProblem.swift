import Foundation

/// The reason why a JSON file is not what it has to be, as text for the user.
package enum DecodingProblem {
    /// Returns a reason that names the place in the file, as in `cases[2].count: expected a whole
    /// number`.
    package static func text(of error: any Error) -> String {
        guard let error = error as? DecodingError else {
            return (error as NSError).localizedDescription
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "\(place(context.codingPath))'\(name(of: key))' is missing"
        case .typeMismatch(let type, let context):
            return "\(place(context.codingPath))expected \(description(of: type))"
        case .valueNotFound(let type, let context):
            return "\(place(context.codingPath))expected \(description(of: type)), not null"
        case .dataCorrupted(let context):
            let cause = context.underlyingError as NSError?
            let detail = cause?.userInfo["NSDebugDescription"] as? String
            return place(context.codingPath) + (detail ?? context.debugDescription)
        @unknown default: return "\(error)"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let text = path.reduce("") { text, key in
            if let index = key.intValue { return text + "[\(index + 1)]" }
            return (text.isEmpty ? "" : text + ".") + name(of: key)
        }
        return text.isEmpty ? "" : text + ": "
    }

    /// The name as the file has it: keys are converted from snake case.
    private static func name(of key: any CodingKey) -> String {
        key.stringValue.reduce(into: "") { text, character in
            text += character.isUppercase ? "_" + character.lowercased() : String(character)
        }
    }

    private static func description(of type: Any.Type) -> String {
        switch type {
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
        }
    }
}
