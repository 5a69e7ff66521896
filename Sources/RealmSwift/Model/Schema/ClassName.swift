/// Functions that read the names of classes from their context descriptors.
///
/// The descriptors hold plain C strings. `String(describing:)` would demangle the name, which takes
/// 50 microseconds per class.
enum ClassName {
    static func of(_ type: AnyClass) -> String {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        return name(ofContext: descriptor)
    }

    static func name(ofContext descriptor: UnsafeRawPointer) -> String {
        var parts: [String] = []
        var context: UnsafeRawPointer? = descriptor
        while let current = context, let kind = ContextKind(of: current), kind != .module {
            if kind == .namedType, let name = relativePointer(at: current + 8) {
                parts.append(String(cString: name.assumingMemoryBound(to: CChar.self)))
            }
            context = kind == .extension ? extendedType(current) : parent(of: current)
        }
        return parts.reversed().joined(separator: "_")
    }

    private enum ContextKind {
        case module, `extension`, anonymous, namedType

        init?(of descriptor: UnsafeRawPointer) {
            switch descriptor.load(as: UInt32.self) & 0x1f {
            case 0: self = .module
            case 1: self = .extension
            case 2: self = .anonymous
            case 16...31: self = .namedType
            default: return nil
            }
        }
    }

    private static func parent(of descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
        indirectablePointer(at: descriptor + 4)
    }

    /// Returns the type that an extension extends, if its mangled name is a reference to a
    /// descriptor.
    private static func extendedType(_ descriptor: UnsafeRawPointer) -> UnsafeRawPointer? {
        relativePointer(at: descriptor + 8).flatMap(symbolicReference(at:))
    }

    /// Returns the context descriptor that a mangled name refers to in its first bytes.
    static func symbolicReference(at mangledName: UnsafeRawPointer) -> UnsafeRawPointer? {
        switch mangledName.load(as: UInt8.self) {
        case 1: relativePointer(at: mangledName + 1)
        case 2:
            relativePointer(at: mangledName + 1)?.loadUnaligned(as: UnsafeRawPointer?.self)
        default: nil
        }
    }

    static func relativePointer(at address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = Int(address.loadUnaligned(as: Int32.self))
        return offset == 0 ? nil : address + offset
    }

    /// Returns the target of a relative pointer. Its lowest bit marks an indirect pointer.
    static func indirectablePointer(at address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = Int(address.loadUnaligned(as: Int32.self))
        if offset == 0 { return nil }
        let target = address + (offset & ~1)
        return offset & 1 == 0 ? target : target.loadUnaligned(as: UnsafeRawPointer?.self)
    }
}
