/// The identity of one session's key. It is drawn at random each time a process opens a file, and
/// whenever a session ends.
package struct SessionSalt: Hashable, Sendable {
    static let size = 12

    var high: UInt64
    var low: UInt32

    init(high: UInt64, low: UInt32) {
        self.high = high
        self.low = low
    }

    /// Draws a salt from the kernel's generator, which a forked child does not share with its
    /// parent.
    static func random() -> SessionSalt {
        SessionSalt(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    }

    /// The bytes as they are in a seal.
    var bytes: [UInt8] {
        withUnsafeBytes(of: high.littleEndian, Array.init)
            + withUnsafeBytes(of: low.littleEndian, Array.init)
    }
}

/// The 32 bytes in front of everything that an encrypted file stores. With the file's key, they
/// suffice to decrypt what follows and to authenticate it.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 16 | authentication tag |
/// | 16 | 12 | salt of the session that wrote it |
/// | 28 | 4 | number of this seal in its session: the nonce |
struct Seal: Equatable {
    static let size = 32
    static let tagSize = 16

    private static let saltOffset = 16
    private static let numberOffset = 28

    var tag: (UInt64, UInt64)
    var salt: SessionSalt
    var number: UInt32

    static func == (left: Seal, right: Seal) -> Bool {
        left.tag == right.tag && left.salt == right.salt && left.number == right.number
    }

    init(tag: (UInt64, UInt64), salt: SessionSalt, number: UInt32) {
        self.tag = tag
        self.salt = salt
        self.number = number
    }

    init(at place: UnsafeRawPointer) {
        func word(_ offset: Int) -> UInt64 {
            UInt64(littleEndian: place.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func half(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: place.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        tag = (word(0), word(8))
        salt = SessionSalt(high: word(Self.saltOffset), low: half(Self.saltOffset + 8))
        number = half(Self.numberOffset)
    }

    func store(at place: UnsafeMutableRawPointer) {
        place.storeBytes(of: tag.0.littleEndian, as: UInt64.self)
        place.storeBytes(of: tag.1.littleEndian, toByteOffset: 8, as: UInt64.self)
        place.storeBytes(
            of: salt.high.littleEndian, toByteOffset: Self.saltOffset, as: UInt64.self)
        place.storeBytes(
            of: salt.low.littleEndian, toByteOffset: Self.saltOffset + 8, as: UInt32.self)
        place.storeBytes(
            of: number.littleEndian, toByteOffset: Self.numberOffset, as: UInt32.self)
    }
}

/// The location of sealed contents in their file. It is authenticated with the contents, so that
/// contents written for one place are refused in any other.
enum SealedPlace: Equatable {
    case run(page: UInt64)
    /// A commit record in a slot, by the slot's number.
    case recordInSlot(UInt64)
    case recordInPage(UInt64)
    case marker
    case locator

    /// Returns file id, kind of place and number: 32 bytes that are authenticated besides the
    /// contents.
    func additionalData(fileID: (UInt64, UInt64)) -> AdditionalData {
        let (kind, number): (UInt64, UInt64) =
            switch self {
            case .run(let page): (1, page)
            case .recordInSlot(let slot): (2, slot)
            case .recordInPage(let page): (4, page)
            case .marker: (3, 0)
            case .locator: (5, 0)
            }
        return (
            fileID.0.littleEndian, fileID.1.littleEndian, kind.littleEndian, number.littleEndian
        )
    }

    typealias AdditionalData = (UInt64, UInt64, UInt64, UInt64)
}
