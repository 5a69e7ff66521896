/// A search for the model classes of the process in the type metadata that the compiler emits.
///
/// The search reads descriptors only. It instantiates metadata only for classes that inherit from
/// ``ObjectBase``.
struct SchemaDiscovery {
    /// All classes of the default schema, found once per process.
    static let defaultClasses: [ObjectBase.Type] = discover().filter {
        $0 != ObjectBase.self && $0 != Object.self && $0 != EmbeddedObject.self
            && $0.shouldIncludeInDefaultSchema()
    }

    private static func discover() -> [ObjectBase.Type] {
        var discovery = SchemaDiscovery()
        withUnsafeMutablePointer(to: &discovery) { pointer in
            enumerateMetadataSections(
                { sections, context in
                    context.assumingMemoryBound(to: SchemaDiscovery.self).pointee
                        .visit(sections)
                    return true
                }, pointer)
        }
        return discovery.found
    }

    private var found: [ObjectBase.Type] = []
    /// A cache of whether a class descriptor inherits from `ObjectBase`.
    private var isModel: [UnsafeRawPointer: Bool] = [
        descriptor(of: ObjectBase.self): true
    ]

    private static func descriptor(of type: ObjectBase.Type) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
            .load(fromByteOffset: 40, as: UnsafeRawPointer.self)
    }

    /// Visits the type records of one `MetadataSections` of the runtime. Its layout is: version,
    /// base address, two unused words, then (start, length) of the protocols, the conformances and
    /// the type records.
    private mutating func visit(_ sections: UnsafeRawPointer) {
        let length = sections.load(fromByteOffset: 72, as: Int.self)
        guard let start = sections.load(fromByteOffset: 64, as: UnsafeRawPointer?.self) else {
            return
        }
        for offset in stride(from: 0, to: length, by: 4) {
            if let descriptor = Self.typeRecord(at: start + offset) { visitType(descriptor) }
        }
    }

    /// Reads a relative pointer. The lowest two bits are 0 for a direct and 1 for an indirect
    /// pointer.
    private static func typeRecord(at address: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = Int(address.load(as: Int32.self))
        let target = address + (offset & ~3)
        switch offset & 3 {
        case 0: return offset == 0 ? nil : target
        case 1: return target.loadUnaligned(as: UnsafeRawPointer?.self)
        default: return nil
        }
    }

    private mutating func visitType(_ descriptor: UnsafeRawPointer) {
        let flags = descriptor.load(as: UInt32.self)
        let isGeneric = flags & 0x80 != 0
        guard flags & 0x1f == 16, !isGeneric, leadsToObjectBase(descriptor) else { return }
        guard let accessor = ClassName.relativePointer(at: descriptor + 12) else { return }
        typealias Accessor = @convention(c) (Int) -> UnsafeRawPointer?
        guard let metadata = unsafeBitCast(accessor, to: Accessor.self)(0) else { return }
        // Safe because the class inherits from `ObjectBase`.
        found.append(unsafeBitCast(metadata, to: ObjectBase.Type.self))
    }

    private mutating func leadsToObjectBase(_ descriptor: UnsafeRawPointer) -> Bool {
        if let known = isModel[descriptor] { return known }
        var result = false
        if descriptor.load(as: UInt32.self) & 0x1f == 16,
            let name = ClassName.relativePointer(at: descriptor + 20),
            let superclass = ClassName.symbolicReference(at: name)
        {
            result = leadsToObjectBase(superclass)
        }
        isModel[descriptor] = result
        return result
    }
}

/// A function that the Swift runtime exports for tools that inspect a process.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateMetadataSections(
    _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool,
    _ context: UnsafeMutableRawPointer)
