import Foundation

/// Functions that describe objects and collections, with nested lines indented by tabs and at most
/// five levels.
enum ObjectPrinter {
    static let maximumDepth = 5
    private static let maximumDataBytes = 24

    static func describe(_ object: ObjectBase) -> String {
        describe(object, depth: maximumDepth)
    }

    /// Returns the description of a value inside of another description.
    static func describe(_ value: Any?) -> String {
        describe(unwrapped(value), depth: maximumDepth)
    }

    private static func describe(_ object: ObjectBase, depth: Int) -> String {
        if depth == 0 { return "<Maximum depth exceeded>" }
        if object.isInvalidated { return "[invalid object]" }
        let model = object._model
        var text = "\(model.name) {\n"
        for property in model.properties {
            let value = unwrapped(property.wrapper.value(of: object, at: property.offset))
            let isNoData = value == nil && property.shape.type == .data
            let shown = isNoData ? "<(null) — 0 total bytes>" : describe(value, depth: depth)
            text += "\t\(property.name) = \(shown);\n"
        }
        return text + "}"
    }

    /// Returns the description of a value, with lines after the first indented by one more tab.
    static func describe(_ value: Any?, depth: Int) -> String {
        let text: String
        switch value {
        case nil: return "(null)"
        case let object as ObjectBase: text = describe(object, depth: depth - 1)
        case let collection as any PrintableCollection:
            text = collection.describe(depth: depth - 1)
        case let flag as Bool: return flag ? "1" : "0"
        case let data as Data: return describe(data)
        case let number as Double: return withoutFraction("\(number)")
        case let number as Float: return withoutFraction("\(number)")
        case let value?: text = "\(value)"
        }
        // Looked for first, because replacing takes long, and few values have lines.
        guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
        return text.replacingOccurrences(of: "\n", with: "\n\t")
    }

    /// Removes the fraction of a whole number, so that it prints like an integer.
    private static func withoutFraction(_ text: String) -> String {
        text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func describe(_ data: Data) -> String {
        let shown = data.prefix(maximumDataBytes).map { hexadecimal($0) }.joined()
        if data.count <= maximumDataBytes { return "<\(shown)>" }
        return "<\(shown)… — \(data.count) total bytes>"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

/// A collection whose description can be part of an object's description.
protocol PrintableCollection {
    func describe(depth: Int) -> String
}
