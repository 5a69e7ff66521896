import StressModel

@testable import StorageEngine

extension PowerLossHistory {
    init(durable: [UInt8], pending: [SystemTraceEvent], acknowledged: Int) {
        self.init(
            durable: durable, pending: pending, acknowledged: acknowledged,
            headBytes: Int(FileHeader.newBlockCount * FileHeader.blockSize))
    }
}

extension PowerLossHistory.Moment {
    /// Returns images with the pieces that they contain: all subsets of few pieces, or samples of
    /// many.
    func images(
        _ random: inout some RandomNumberGenerator
    ) -> [(choice: PowerLossChoice, image: [UInt8])] {
        choices(
            exhaustivePieces: LongTests.choose(12, otherwise: 8),
            samples: LongTests.choose(1000, otherwise: 60), &random
        ).map { ($0, image($0)) }
    }

    func allSubsets(pageParts: Int) -> [(choice: PowerLossChoice, image: [UInt8])] {
        subsets(pageParts: pageParts).map { ($0, image($0)) }
    }

    /// Returns one image with random sectors. The share of missing ones is drawn first.
    func sample(_ random: inout some RandomNumberGenerator) -> [UInt8] {
        image(.sample(seed: random.next()))
    }
}
