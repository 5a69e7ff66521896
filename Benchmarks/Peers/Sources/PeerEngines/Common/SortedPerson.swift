/// A person in an array that is sorted from the oldest on: the birth date, by which nearly all
/// are told apart, and where the rest lies.
struct SortedPerson {
    let birthdate: Int
    let age: Int32
    private let nameLength: UInt32
    private let nameStart: UnsafeRawPointer?

    /// - Parameter name: bytes that stay where they are as long as this value is used.
    @inline(__always)
    init(_ name: UnsafeRawBufferPointer, _ person: UnsafeRawBufferPointer) {
        birthdate = PackedPerson.birthdate(person)
        age = Int32(PackedPerson.age(person))
        nameLength = UInt32(name.count)
        nameStart = name.baseAddress
    }

    @inline(__always)
    var name: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nameStart, count: Int(nameLength))
    }
}

extension [SortedPerson] {
    /// Sorts by birth date, then by name (bytewise).
    ///
    /// Counts and places the persons by eleven bits of the birth date at a time, the lowest first,
    /// which takes half of the time of a sort that compares. The few with the same second are
    /// compared by name afterwards.
    mutating func sortFromOldest() {
        let birthdates = lazy.map(\.birthdate)
        guard let least = birthdates.min(), let greatest = birthdates.max() else { return }
        var other = self
        var shift = 0
        while shift < Int.bitWidth, UInt(bitPattern: greatest &- least) >> UInt(shift) > 0 {
            place(in: &other, least: least, shift: shift)
            swap(&self, &other)
            shift += Self.digitBits
        }
        sortNamesOfEqualDates()
    }

    private static var digitBits: Int { 11 }

    /// Places all in the order of one digit, and of this array where that is equal.
    private func place(in other: inout [SortedPerson], least: Int, shift: Int) {
        let digits = 1 << Self.digitBits
        func digit(_ person: SortedPerson) -> Int {
            let distance = UInt(bitPattern: person.birthdate &- least)
            return Int(truncatingIfNeeded: distance >> UInt(shift)) & (digits - 1)
        }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: digits) { places in
            places.initialize(repeating: 0)
            for person in self { places[digit(person)] += 1 }
            var before = 0
            for index in places.indices {
                (places[index], before) = (before, before + places[index])
            }
            other.withUnsafeMutableBufferPointer { other in
                for person in self {
                    let digit = digit(person)
                    other[places[digit]] = person
                    places[digit] += 1
                }
            }
        }
    }

    private mutating func sortNamesOfEqualDates() {
        var start = 0
        while start < count {
            let birthdate = self[start].birthdate
            var end = start + 1
            while end < count, self[end].birthdate == birthdate { end += 1 }
            if end - start > 1 {
                self[start..<end].sort { $0.name.lexicographicallyPrecedes($1.name) }
            }
            start = end
        }
    }
}

/// Copies of bytes that stay where they are. Belongs to one thread.
final class ByteArena {
    private static let chunkBytes = 1 << 20
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private var used = 0

    deinit { for chunk in chunks { chunk.deallocate() } }

    func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if chunks.last.map({ used + bytes.count > $0.count }) ?? true {
            let size = max(Self.chunkBytes, bytes.count)
            chunks.append(.allocate(byteCount: size, alignment: 1))
            used = 0
        }
        let copy = UnsafeMutableRawBufferPointer(
            rebasing: chunks[chunks.count - 1][used..<used + bytes.count])
        copy.copyMemory(from: bytes)
        used += bytes.count
        return UnsafeRawBufferPointer(copy)
    }
}
