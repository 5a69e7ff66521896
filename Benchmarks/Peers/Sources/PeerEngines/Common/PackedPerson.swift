import BenchmarkKit

/// The value of a person in byte-oriented engines: birth date in seconds (8 bytes), age (4), and
/// the name unless it is the key. Little-endian.
enum PackedPerson {
    static let ageOffset = 8
    static let nameOffset = 12

    static func pack(_ person: PersonValues, withName: Bool, into buffer: ByteBuffer) {
        buffer.removeAll()
        buffer.append(littleEndian: Int64(person.birthdate))
        buffer.append(littleEndian: Int32(person.age))
        if withName { buffer.append(person.name) }
    }

    /// Writes the same person with another age into `buffer`.
    static func pack(_ person: UnsafeRawBufferPointer, age: Int, into buffer: ByteBuffer) {
        buffer.removeAll()
        buffer.append(UnsafeRawBufferPointer(rebasing: person[..<ageOffset]))
        buffer.append(littleEndian: Int32(age))
        buffer.append(UnsafeRawBufferPointer(rebasing: person[nameOffset...]))
    }

    @inline(__always)
    static func birthdate(_ person: UnsafeRawBufferPointer) -> Int {
        Int(person.littleEndian(Int64.self, at: 0))
    }

    @inline(__always)
    static func age(_ person: UnsafeRawBufferPointer) -> Int {
        Int(person.littleEndian(Int32.self, at: ageOffset))
    }

    @inline(__always)
    static func name(_ person: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: person[nameOffset...])
    }
}
