import Foundation
import StressModel
import Testing
import ToolSupport

@testable import StorageEngine
@testable import engine_test_process

/// The contents of encrypted files, and the keys that open them.
@Suite struct EncryptionFileTests {
    private let directory: CrashDirectory

    init() throws { directory = try CrashDirectory() }

    private func openError(_ path: String, _ key: [UInt8]?) -> StorageError? {
        do {
            _ = try Database.open(path: path, options: .init(encryptionKey: key))
            return nil
        } catch { return error }
    }

    // MARK: Contents

    /// The steps leave some of everything, with different page sizes.
    @Test(arguments: [4096, 8192, 16384])
    func anEncryptedFileHoldsWhatAPlainOneDoes(pageSize: Int) throws {
        let states = try CrashStates.shared.get()
        let path = directory.file("pages")
        var options = FileKind.encrypted.options
        options.pageSize = pageSize
        for step in 1...CrashWorkload.lastStep {
            let connection = try Connection(Database.open(path: path, options: options))
            try CrashWorkload.run(step, on: connection)
            let other = try Connection(Database.openUnregistered(path: path, options: options))
            #expect(try CrashWorkload.digest(of: other) == states.digests[step])
            if step % 6 == 0 { #expect(try other.verify() == []) }
        }
        let image = try readBytes(path)
        let (found, unsealed) = try EncryptedImage(image).sealed(in: image, at: 0)
        #expect(found.count > 40)
        // Partly overwritten older runs are neither whole nor zeros, but they are still ciphertext.
        #expect(unsealed.allSatisfy { $0 >= Int(FileHeader.newBlockCount) * 4096 })
    }

    @Test func noPlaintextIsInTheFile() throws {
        let path = directory.file("secret")
        let words = ["Secretive", "hiddenProperty", "very confidential text", "classified key"]
        var images: [[UInt8]] = []
        for kind in FileKind.allCases {
            unlink(path)
            do {
                let connection = try kind.open(path)
                try connection.beginWrite()
                try connection.createTables([
                    TableDefinition(
                        name: words[0],
                        columns: [
                            ColumnDefinition(name: "key", type: .string, isPrimaryKey: true),
                            ColumnDefinition(name: words[1], type: .string),
                        ])
                ])
                try connection.commit()
                for round in 0..<40 {
                    try connection.beginWrite()
                    let long = String(repeating: words[2], count: round % 2 == 1 ? 1000 : 1)
                    _ = try connection.table(named: words[0])!
                        .insert([.text("\(words[3]) \(round)"), .text(long)])
                    try connection.commit()
                }
            }
            images.append(try readBytes(path))
        }
        for word in words {
            #expect(Data(images[0]).range(of: Data(word.utf8)) != nil, "\(word)")
            #expect(Data(images[1]).range(of: Data(word.utf8)) == nil, "\(word)")
        }
        let image = try EncryptedImage(images[1])
        // The image does not contain what every plain file has in many places: its identity, and
        // small numbers. Blocks that were written look random: all byte values are about equally
        // frequent.
        let identity = withUnsafeBytes(of: image.header.fileID.0.littleEndian, Array.init)
        #expect(Data(images[1][512...]).range(of: Data(identity)) == nil)
        let (found, unsealed) = image.sealed(in: images[1], at: 0)
        #expect(unsealed.isEmpty)
        #expect(found.count > 30 && found.count(where: \.isRun) > 20)
        var counts = [Int](repeating: 0, count: 256)
        for byte in found.flatMap({ $0.bytes[32...] }) { counts[Int(byte)] += 1 }
        let expected = counts.reduce(0, +) / 256
        #expect(counts.allSatisfy { abs($0 - expected) < expected / 4 })
    }

    @Test func nothingOfTheKeyIsInTheFile() throws {
        let file = try SmallFile.of(.encrypted)
        for start in stride(from: 0, through: 56, by: 8) {
            let part = Data(FileKind.key[start..<start + 8])
            #expect(Data(file.bytes).range(of: part) == nil)
        }
    }

    // MARK: Keys

    @Test func onlyTheRightKeyOpensAFile() throws {
        let file = try SmallFile.of(.encrypted)
        try directory.withImage(file.bytes) { path in
            for bit in stride(from: 0, to: 512, by: 37) {
                var key = FileKind.key
                key[bit / 8] ^= 1 << UInt8(bit % 8)
                let error = try #require(openError(path, key))
                #expect(error.code == .wrongKey && error.path == path)
                #expect(
                    error.message.hasPrefix(
                        "Failed to open Realm file at path '\(path)': "
                            + "Realm file decryption failed"))
            }
            let missing = try #require(openError(path, nil))
            #expect(missing.code == .wrongKey && missing.message.contains("no key was given"))
            #expect(
                throws: StorageError.self,
                performing: { try Database.open(path: path, options: .init(readOnly: true)) })
            // The failure leaves the file unchanged.
            let after = try readBytes(path)
            #expect(after == file.bytes)
            #expect(try DatabaseDigest.of(FileKind.encrypted.open(path)) == file.digest)
        }
    }

    @Test func aKeyForAPlainFileIsRefused() throws {
        let file = try SmallFile.of(.plain)
        try directory.withImage(file.bytes) { path in
            let error = try #require(openError(path, FileKind.key))
            #expect(error.code == .wrongKey && error.message.contains("is not encrypted"))
            let after = try readBytes(path)
            #expect(after == file.bytes)
        }
    }

    @Test func keysOfAnotherLengthAreRefused() throws {
        let path = directory.file("length")
        for length in [0, 1, 32, 63, 65, 128] {
            let error = openError(path, [UInt8](repeating: 1, count: length))
            #expect(error?.code == .invalidArgument && error?.message.contains("64") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func damageIsToldApartFromAWrongKey() throws {
        let file = try SmallFile.of(.encrypted)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<80 {
            var image = file.bytes
            image[8 + random.next(below: 504)] ^= 1 << UInt8(random.next(below: 8))
            try directory.withImage(image) { path in
                let error = openError(path, FileKind.key)
                #expect([.damaged, .unsupportedFormat].contains(error?.code))
            }
        }
        // Everything after the header is lost: the key is right, but nothing else is.
        let lost =
            Array(file.bytes[..<4096])
            + (4096..<file.bytes.count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        try directory.withImage(lost) { path in
            #expect(openError(path, FileKind.key)?.code == .damaged)
            #expect(openError(path, FileKind.key.reversed())?.code == .wrongKey)
        }
    }

    /// An attacker who cannot decrypt the file can still write a header with a correct checksum.
    @Test func aHeaderThatWasMadeToSaySomethingElseFitsNoKey() throws {
        let file = try SmallFile.of(.encrypted)
        for (offset, value) in [(12, UInt32(8192)), (24, 1), (40, 7), (72, 7)] {
            var image = file.bytes
            image.withUnsafeMutableBytes { bytes in
                bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
                let sum = Checksum.hash(UnsafeRawBufferPointer(rebasing: bytes[..<504]), seed: 0)
                bytes.storeBytes(of: sum.littleEndian, toByteOffset: 504, as: UInt64.self)
            }
            try directory.withImage(image) { path in
                #expect(openError(path, FileKind.key)?.code == .wrongKey, "offset \(offset)")
            }
        }
    }

    @Test func whoComesSecondNeedsTheKeyAsWell() throws {
        let path = directory.file("second")
        let first = try Database.open(path: path, options: FileKind.encrypted.options)
        #expect(openError(path, nil)?.code == .wrongKey)
        #expect(openError(path, FileKind.key.reversed())?.code == .wrongKey)
        #expect(try Database.open(path: path, options: FileKind.encrypted.options) === first)
        let plain = directory.file("plain")
        let second = try Database.open(path: plain)
        #expect(openError(plain, FileKind.key)?.code == .wrongKey)
        #expect(try Database.open(path: plain) === second)
    }

    @Test func databasesInMemoryIgnoreKeys() throws {
        let name = UUID().uuidString
        let first = try Database.open(
            path: name, options: .init(inMemory: true, encryptionKey: FileKind.key))
        let second = try Database.open(path: name, options: .init(inMemory: true))
        #expect(first === second)
        #expect(first.file.cipher == nil)
    }

    @Test func filesAreCreatedWithSaltsOfTheirOwn() throws {
        let headers = try (0..<3).map { number in
            let path = directory.file("salt-\(number)")
            do { _ = try FileKind.encrypted.open(path) }
            return try readBytes(path).withUnsafeBytes { try FileHeader($0, path: path) }
        }
        #expect(Set(headers.map { $0.encryption!.salt }).count == 3)
        #expect(Set(headers.map { $0.encryption!.keyCheck }).count == 3)
    }

    // MARK: Copies

    @Test func copiesHaveKeysOfTheirOwn() throws {
        let keys: [[UInt8]?] = [nil, FileKind.key, FileKind.key.reversed()]
        for (number, source) in keys.enumerated() {
            let path = directory.file("source-\(number)")
            let states = try CrashStates.shared.get()
            let connection = try Connection(
                Database.open(path: path, options: .init(encryptionKey: source)))
            for step in 1...12 { try CrashWorkload.run(step, on: connection) }
            for (index, target) in keys.enumerated() {
                let copy = directory.file("copy-\(number)-\(index)")
                try connection.writeCopy(toPath: copy, encryptionKey: target)
                for (other, key) in keys.enumerated() where other != index {
                    #expect(openError(copy, key)?.code == .wrongKey)
                }
                let opened = try Connection(
                    Database.open(path: copy, options: .init(encryptionKey: target)))
                #expect(try CrashWorkload.digest(of: opened) == states.digests[12])
                #expect(try opened.verify() == [])
            }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!left.contains { $0.contains(".copy-") })
    }
}
