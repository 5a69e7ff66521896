/// A set of page numbers with one bit per page. It takes 1/32768 of the pages' bytes where pages
/// are adjacent.
struct PageSet {
    private static let chunkShift: UInt64 = 15
    private static let chunkWords = 1 << 9

    /// The bits, by the upper bits of the page number; an empty array where no page is in the set.
    private var chunks: [[UInt64]] = []
    private(set) var count = 0

    private static func place(_ page: UInt64) -> (chunk: Int, word: Int, bit: UInt64) {
        (Int(page >> chunkShift), Int(page >> 6) & (chunkWords - 1), 1 << (page & 63))
    }

    func contains(_ page: UInt64) -> Bool {
        let (chunk, word, bit) = Self.place(page)
        return chunk < chunks.count && !chunks[chunk].isEmpty && chunks[chunk][word] & bit != 0
    }

    mutating func insert(_ page: UInt64) {
        let (chunk, word, bit) = Self.place(page)
        while chunks.count <= chunk { chunks.append([]) }
        if chunks[chunk].isEmpty {
            chunks[chunk] = [UInt64](repeating: 0, count: Self.chunkWords)
        }
        precondition(chunks[chunk][word] & bit == 0, "a page number was given out twice")
        chunks[chunk][word] |= bit
        count += 1
    }

    /// Removes a page, which must be in the set.
    mutating func remove(_ page: UInt64) {
        let (chunk, word, bit) = Self.place(page)
        chunks[chunk][word] &= ~bit
        count -= 1
    }

    mutating func removeAll() { self = PageSet() }

    /// Visits the pages in ascending order.
    func forEach(_ body: (UInt64) -> Void) {
        for (index, chunk) in chunks.enumerated() {
            for (word, bits) in chunk.enumerated() where bits != 0 {
                var rest = bits
                while rest != 0 {
                    let bit = UInt64(rest.trailingZeroBitCount)
                    body(UInt64(index) << Self.chunkShift | UInt64(word) << 6 | bit)
                    rest &= rest - 1
                }
            }
        }
    }
}
