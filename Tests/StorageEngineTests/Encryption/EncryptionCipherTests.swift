import Foundation
import Testing
import ToolSupport

@testable import StorageEngine

/// Keys, nonces and seals, tested without a file.
@Suite struct EncryptionCipherTests {
    private static let userKey = (0..<64).map { UInt8($0) }
    private static let salt = (0..<32).map { UInt8(255 - $0) }

    private func makeCipher(
        userKey: [UInt8] = userKey, salt: [UInt8] = salt, fileID: (UInt64, UInt64) = (7, 8),
        parameters: [UInt8] = [1], sealsInSession: UInt32 = SealingSession.maximumSeals
    ) throws -> FileCipher {
        try #require(
            FileCipher(
                userKey: userKey, salt: salt, fileID: fileID, parameters: parameters,
                sealsInSession: sealsInSession))
    }

    private func seal(_ contents: [UInt8], _ place: SealedPlace, _ cipher: FileCipher) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: Seal.size + contents.count)
        sealed.withUnsafeMutableBytes { target in
            contents.withUnsafeBytes { _ = cipher.seal($0, for: place, to: target.baseAddress!) }
        }
        return sealed
    }

    /// Seals again what has this seal; nil if the contents are others.
    private func sealAgain(
        _ contents: [UInt8], _ place: SealedPlace, as sealed: [UInt8], _ cipher: FileCipher
    ) -> [UInt8]? {
        let seal = sealed.withUnsafeBytes { Seal(at: $0.baseAddress!) }
        var repeated = [UInt8](repeating: 0, count: Seal.size + contents.count)
        let isSame = repeated.withUnsafeMutableBytes { target in
            contents.withUnsafeBytes {
                cipher.repeatSeal(seal, of: $0, for: place, to: target.baseAddress!)
            }
        }
        return isSame ? repeated : nil
    }

    private func open(_ sealed: [UInt8], _ place: SealedPlace, _ cipher: FileCipher) -> [UInt8]? {
        sealed.withUnsafeBytes { cipher.open($0, at: place) }
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)!
        }
    }

    /// What recovery makes again is encrypted to the same bytes, by whichever process, or not at
    /// all. It uses up no number.
    @Test func onlyTheSameContentsAreSealedAgain() throws {
        let (writer, recovery) = (try makeCipher(), try makeCipher())
        let contents = (0..<4064).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let sealed = seal(contents, .run(page: 9), writer)
        #expect(sealAgain(contents, .run(page: 9), as: sealed, recovery) == sealed)
        #expect(sealAgain(contents, .run(page: 9), as: sealed, writer) == sealed)
        var changed = contents
        changed[4000] ^= 1
        #expect(sealAgain(changed, .run(page: 9), as: sealed, recovery) == nil)
        #expect(sealAgain(contents, .run(page: 10), as: sealed, recovery) == nil)
        let next = seal(contents, .run(page: 9), writer)
        #expect(next.withUnsafeBytes { Seal(at: $0.baseAddress!).number } == 2)
    }

    /// The test cases of RFC 5869, appendix A.1 and A.2.
    @Test func keysAreDerivedAsTheStandardSays() {
        let short = KeyDerivation.extract(
            salt: (0...12).map { UInt8($0) }, from: [UInt8](repeating: 0x0B, count: 22))
        #expect(
            short.bytes
                == bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"))
        #expect(
            KeyDerivation.expand(short, info: (0xF0...0xF9).map { UInt8($0) }).bytes
                == bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"))
        let long = KeyDerivation.extract(
            salt: (0x60...0xAF).map { UInt8($0) }, from: (0x00...0x4F).map { UInt8($0) })
        #expect(
            long.bytes
                == bytes("06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244"))
        #expect(
            KeyDerivation.expand(long, info: (0xB0...0xFF).map { UInt8($0) }).bytes
                == bytes("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"))
    }

    @Test func whatWasSealedIsOpenedAtItsPlaceOnly() throws {
        let cipher = try makeCipher()
        var random = SeededGenerator(seed: 1)
        let places: [SealedPlace] = [
            .run(page: 0), .run(page: 1), .run(page: 1 << 40), .record(.slot(0)), .record(.slot(1)),
            .marker,
        ]
        for length in [16, 17, 31, 64, 4064, 4096, 100_000, 3_000_000] {
            let contents = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            for place in places {
                let sealed = seal(contents, place, cipher)
                for other in places {
                    #expect(open(sealed, other, cipher) == (other == place ? contents : nil))
                }
                if length > 100 { break }
            }
        }
    }

    @Test func everyFlippedBitIsNoticed() throws {
        let cipher = try makeCipher()
        let sealed = seal([UInt8](repeating: 3, count: 80), .record(.slot(4)), cipher)
        for bit in 0..<sealed.count * 8 {
            var damaged = sealed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(open(damaged, .record(.slot(4)), cipher) == nil, "bit \(bit)")
        }
        #expect(open(Array(sealed.dropLast()), .record(.slot(4)), cipher) == nil)
        #expect(open(sealed + [0], .record(.slot(4)), cipher) == nil)
        for length in [0, 1, 32, 47] {
            #expect(open([UInt8](repeating: 0, count: length), .record(.slot(4)), cipher) == nil)
        }
        #expect(open([UInt8](repeating: 0, count: 4096), .record(.slot(4)), cipher) == nil)
    }

    @Test func anotherKeySaltOrFileOpensNothing() throws {
        let cipher = try makeCipher()
        let sealed = seal([UInt8](repeating: 9, count: 40), .marker, cipher)
        #expect(open(sealed, .marker, try makeCipher()) != nil)
        for position in [0, 31, 32, 63] {
            var key = Self.userKey
            key[position] ^= 1
            let other = try makeCipher(userKey: key)
            #expect(open(sealed, .marker, other) == nil)
            #expect(!other.keyCheck.equals(cipher.keyCheck.bytes))
        }
        let salted = try makeCipher(salt: Self.salt.reversed())
        #expect(open(sealed, .marker, salted) == nil)
        #expect(!salted.keyCheck.equals(cipher.keyCheck.bytes))
        #expect(open(sealed, .marker, try makeCipher(fileID: (7, 9))) == nil)
        // The fields of the header are included in the key check.
        #expect(!(try makeCipher(parameters: [2])).keyCheck.equals(cipher.keyCheck.bytes))
        #expect(try makeCipher().keyCheck.equals(cipher.keyCheck.bytes))
    }

    @Test func equalContentsNeverLookTheSame() throws {
        let contents = [UInt8](repeating: 0, count: 64)
        let cipher = try makeCipher()
        let other = try makeCipher()
        let sealed = (0..<50).flatMap { _ in
            [seal(contents, .record(.slot(1)), cipher), seal(contents, .record(.slot(1)), other)]
        }
        #expect(Set(sealed).count == 100)
        #expect(Set(sealed.map { $0[32...] }).count == 100)
        #expect(Set(sealed.map { $0[..<16] }).count == 100)
    }

    @Test func aSessionThatRunsOutOfNumbersIsFollowedByAnother() throws {
        let cipher = try makeCipher(sealsInSession: 3)
        let contents = [UInt8](repeating: 5, count: 16)
        // There are more sessions than cached keys.
        let sealed = (0..<1000).map { _ in seal(contents, .record(.slot(1)), cipher) }
        let seals = sealed.map { $0.withUnsafeBytes { Seal(at: $0.baseAddress!) } }
        struct Nonce: Hashable {
            var salt: SessionSalt
            var number: UInt32
        }
        #expect(Set(seals.map { Nonce(salt: $0.salt, number: $0.number) }).count == 1000)
        #expect(Set(seals.map(\.salt)).count == 334)
        for each in sealed + sealed.reversed() {
            #expect(open(each, .record(.slot(1)), cipher) == contents)
        }
    }

    /// The ciphertext was made by another program for the same key, nonce and additional data.
    @Test func theCipherIsTheStandardOne() throws {
        let cipher = try makeCipher()
        // Session salt 0102…0c, number 5, contents 000102…1f, for the marker of file (7, 8).
        let tag = bytes("82ed717bf10992bb2dab151f521f2d46")
        let ciphertext = bytes("41dbab2450f9eecf5ab8af343cfe3b20c4baf0cb93fe7d151f08a24cec1d7112")
        let seal = tag + (1...12).map { UInt8($0) } + [5, 0, 0, 0]
        #expect(open(seal + ciphertext, .marker, cipher) == (0..<32).map { UInt8($0) })
    }

    @Test func threadsSealAndOpenAtTheSameTime() throws {
        let cipher = try makeCipher(sealsInSession: 100)
        let failures = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<300 {
                let contents = [UInt8](repeating: UInt8(thread), count: 100 + round)
                let place = SealedPlace.run(page: UInt64(round))
                if open(seal(contents, place, cipher), place, cipher) != contents {
                    failures.withLock { $0 += 1 }
                }
            }
        }
        #expect(failures.withLock { $0 } == 0)
    }
}
