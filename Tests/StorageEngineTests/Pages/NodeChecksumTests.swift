import Testing

@testable import StorageEngine

@Suite struct NodeChecksumTests {
    @Test func zerosLengthAndSeedChangeTheHash() {
        var seen = Set<UInt64>()
        for length in 0..<300 {
            for seed: UInt64 in [0, 1, .max] {
                let sum = [UInt8](repeating: 0, count: length).withUnsafeBytes {
                    Checksum.hash($0, seed: seed)
                }
                #expect(sum != 0)
                #expect(seen.insert(sum).inserted)
            }
        }
    }

    @Test func everyBitCounts() {
        for length in [1, 15, 16, 17, 63, 64, 65, 200] {
            var bytes = [UInt8](repeating: 0, count: length)
            var seen: Set<UInt64> = [bytes.withUnsafeBytes { Checksum.hash($0, seed: 9) }]
            for bit in 0..<length * 8 {
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(
                    seen.insert(bytes.withUnsafeBytes { Checksum.hash($0, seed: 9) }).inserted)
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
        }
    }

    @Test func aSealNamesPageAndFile() {
        let node = MutableNode.make([.integer])
        defer { node.free() }
        let run = UnsafeMutableRawBufferPointer(start: node.base, count: node.byteCount)
        let reading = UnsafeRawBufferPointer(run)
        #expect(!PageHeader.isSealed(reading, pageNumber: 40, fileSeed: 3))
        PageHeader.seal(run, pageNumber: 40, fileSeed: 3)
        #expect(PageHeader.isSealed(reading, pageNumber: 40, fileSeed: 3))
        #expect(!PageHeader.isSealed(reading, pageNumber: 41, fileSeed: 3))
        #expect(!PageHeader.isSealed(reading, pageNumber: 40, fileSeed: 4))
        for byte in [0, 7, 8, 31, 32, 100, 4095] {
            run[byte] ^= 0x10
            #expect(!PageHeader.isSealed(reading, pageNumber: 40, fileSeed: 3))
            run[byte] ^= 0x10
        }
    }
}
