import Foundation

/// Descriptions of objects and collections: nested with tabs, at most five levels deep, at most a
/// hundred elements of a collection.
enum ObjectPrinter {
    private static let maximumDepth = 5
    private static let maximumElements = 100
    private static let maximumDataBytes = 24

    static func describe(_ object: ObjectBase) -> String {
        describe(object, depth: maximumDepth)
    }

    static func describe<Element>(_ list: List<Element>) -> String {
        describe(collection: list, depth: maximumDepth)
    }

    static func describe<Element>(_ results: Results<Element>) -> String {
        describe(collection: results, depth: maximumDepth)
    }

    /// A value inside of something that is described.
    static func describe(_ value: Any?) -> String {
        describe(unwrapped(value), depth: maximumDepth)
    }

    private static func describe(_ object: ObjectBase, depth: Int) -> String {
        if depth == 0 { return "<Maximum depth exceeded>" }
        if object.isInvalidated { return "[invalid object]" }
        let model = object._model
        var text = "\(model.name) {\n"
        for property in model.properties {
            let value = property.wrapper.value(of: object, at: property.offset)
            text += "\t\(property.name) = \(describe(value, depth: depth));\n"
        }
        return text + "}"
    }

    /// Lines after the first get one more tab.
    private static func describe(_ value: Any?, depth: Int) -> String {
        let text: String
        switch value {
        case nil: return "(null)"
        case let object as ObjectBase: text = describe(object, depth: depth - 1)
        case let collection as any PrintableCollection:
            text = collection.describe(depth: depth - 1)
        case let flag as Bool: return flag ? "1" : "0"
        case let data as Data: return describe(data)
        case let value?: text = "\(value)"
        }
        return text.replacingOccurrences(of: "\n", with: "\n\t")
    }

    private static func describe(_ data: Data) -> String {
        let shown = data.prefix(maximumDataBytes).map { hexadecimal($0) }.joined()
        if data.count <= maximumDataBytes { return "<\(shown)>" }
        return "<\(shown)… — \(data.count) total bytes>"
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    fileprivate static func describe<C: PrintableCollection>(
        collection: C, depth: Int
    ) -> String {
        if depth == 0 { return "<Maximum depth exceeded>" }
        if collection.isInvalidated { return "[invalid collection]" }
        var text = "\(collection.kind)<\(C.elementName)> <\(collection.address)> (\n"
        let count = collection.count
        let shown = Swift.min(count, maximumElements)
        for position in 0..<shown {
            let element = describe(collection.anyElement(at: position), depth: depth)
            text += "\t[\(position)] \(element)\(position < shown - 1 ? "," : "")\n"
        }
        if count > shown { text += "\t... \(count - shown) objects skipped.\n" }
        return text + ")"
    }
}

/// A collection that prints as `List<Dog> <0x…> (…)`.
private protocol PrintableCollection {
    static var elementName: String { get }
    var kind: String { get }
    var address: String { get }
    var count: Int { get }
    var isInvalidated: Bool { get }
    func anyElement(at position: Int) -> Any?
}

extension PrintableCollection {
    func describe(depth: Int) -> String {
        ObjectPrinter.describe(collection: self, depth: depth)
    }
}

extension List: PrintableCollection {
    fileprivate static var elementName: String { Element._elementName }
    fileprivate var kind: String { "List" }
    fileprivate var address: String { "\(Unmanaged.passUnretained(self).toOpaque())" }
    fileprivate func anyElement(at position: Int) -> Any? {
        Element._eraseElement(self[position])
    }
}

extension Results: PrintableCollection {
    fileprivate static var elementName: String { Element._elementName }
    fileprivate var kind: String { "Results" }
    fileprivate var address: String { "\(Unmanaged.passUnretained(query).toOpaque())" }
    fileprivate func anyElement(at position: Int) -> Any? {
        Element._eraseElement(self[position])
    }
}

extension RealmCollectionValue {
    fileprivate static var _elementName: String {
        let shape = _elementShape
        return shape.linkedClass.map { $0.className() }
            ?? shape.type.name + (shape.isOptional ? "?" : "")
    }
}
