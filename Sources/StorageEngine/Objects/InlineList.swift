/// A short list inside its owner's row.
///
/// The row's bytes are empty (no elements), or begin with a tag: `inline`, then the elements one
/// after another; or `tree`, then the root of a list tree. An element is a null mark (if the list's
/// elements may be null) and its value: integers as zigzag LEB128, floats and doubles as 4 and 8
/// bytes, bytes with their length, fixed16 as 16 bytes.
enum InlineList {
    static let inlineTag: UInt8 = 1
    static let treeTag: UInt8 = 2
    /// Above this many bytes the elements move to a tree.
    static let maximumBytes = 64
    /// tag, page, birth, count: u64 each; level: u8.
    static let treeBytes = 26

    /// An element that owns its bytes.
    enum Element {
        case null
        case integer(Int64)
        case float(Float)
        case double(Double)
        case bytes([UInt8])
        case fixed16(UInt64, UInt64)

        init(_ scalar: Scalar) {
            switch scalar {
            case .null: self = .null
            case .integer(let v): self = .integer(v)
            case .float(let v): self = .float(v)
            case .double(let v): self = .double(v)
            case .bytes(let v): self = .bytes(Array(v))
            case .fixed16(let a, let b): self = .fixed16(a, b)
            }
        }
    }

    static func root(_ bytes: UnsafeRawBufferPointer) -> TreeRoot? {
        guard bytes.count == treeBytes, bytes[0] == treeTag else { return nil }
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard word(17) < UInt64(Int32.max) << 8, bytes[25] < TreeWriter.maximumDepth else {
            return nil
        }
        return TreeRoot(
            reference: PageReference(page: word(1), birth: word(9)), level: Int(bytes[25]),
            count: Int(word(17)))
    }

    /// Calls `body` with what the owner's row holds for a tree.
    static func withImage<R>(
        of root: TreeRoot, _ body: (UnsafeRawBufferPointer) throws -> R
    ) rethrows -> R {
        try withUnsafeTemporaryAllocation(byteCount: treeBytes, alignment: 8) { image in
            image[0] = treeTag
            let words = (root.reference.page, root.reference.birth, UInt64(root.count))
            image.storeBytes(of: words.0.littleEndian, toByteOffset: 1, as: UInt64.self)
            image.storeBytes(of: words.1.littleEndian, toByteOffset: 9, as: UInt64.self)
            image.storeBytes(of: words.2.littleEndian, toByteOffset: 17, as: UInt64.self)
            image[25] = UInt8(root.level)
            return try body(UnsafeRawBufferPointer(image))
        }
    }

    static func image(of root: TreeRoot) -> [UInt8] { withImage(of: root) { Array($0) } }

    static func encode(_ elements: [Element], isOptional: Bool) -> [UInt8] {
        if elements.isEmpty { return [] }
        var image = [inlineTag]
        for element in elements {
            if isOptional {
                if case .null = element {
                    image.append(1)
                    continue
                }
                image.append(0)
            }
            append(element, to: &image)
        }
        return image
    }

    private static func append(_ element: Element, to image: inout [UInt8]) {
        switch element {
        case .null: break
        case .integer(let v): appendLEB(UInt64(bitPattern: v << 1 ^ v >> 63), to: &image)
        case .float(let v):
            withUnsafeBytes(of: v.bitPattern.littleEndian) { image.append(contentsOf: $0) }
        case .double(let v):
            withUnsafeBytes(of: v.bitPattern.littleEndian) { image.append(contentsOf: $0) }
        case .bytes(let v):
            appendLEB(UInt64(v.count), to: &image)
            image.append(contentsOf: v)
        case .fixed16(let a, let b):
            withUnsafeBytes(of: a.littleEndian) { image.append(contentsOf: $0) }
            withUnsafeBytes(of: b.littleEndian) { image.append(contentsOf: $0) }
        }
    }

    private static func appendLEB(_ value: UInt64, to image: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            image.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        image.append(UInt8(rest))
    }

    /// Visits the elements; false if the bytes are no inline list.
    static func forEach(
        _ bytes: UnsafeRawBufferPointer, _ kind: ColumnKind, isOptional: Bool,
        _ body: (Scalar) throws -> Bool
    ) rethrows -> Bool {
        if bytes.isEmpty { return true }
        guard bytes[0] == inlineTag else { return false }
        var offset = 1
        while offset < bytes.count {
            guard let element = next(bytes, &offset, kind, isOptional) else { return false }
            if try !body(element) { return true }
        }
        return true
    }

    private static func next(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ kind: ColumnKind,
        _ isOptional: Bool
    ) -> Scalar? {
        if isOptional {
            offset += 1
            if bytes[offset - 1] == 1 { return .null }
        }
        switch kind {
        case .integer:
            return leb(bytes, &offset).map {
                .integer(Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1))
            }
        case .float:
            guard offset + 4 <= bytes.count else { return nil }
            defer { offset += 4 }
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return .float(Float(bitPattern: UInt32(littleEndian: bits)))
        case .double:
            guard offset + 8 <= bytes.count else { return nil }
            defer { offset += 8 }
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            return .double(Double(bitPattern: UInt64(littleEndian: bits)))
        case .bytes:
            guard let length = leb(bytes, &offset), length <= UInt64(bytes.count - offset) else {
                return nil
            }
            defer { offset += Int(length) }
            return .bytes(
                UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(length)]))
        case .fixed16:
            guard offset + 16 <= bytes.count else { return nil }
            defer { offset += 16 }
            let a = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let b = bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
            return .fixed16(UInt64(littleEndian: a), UInt64(littleEndian: b))
        }
    }

    private static func leb(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
