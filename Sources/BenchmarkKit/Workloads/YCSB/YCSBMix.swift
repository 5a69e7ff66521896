import ToolSupport

/// The frequency of each operation and the distribution of the accessed records.
struct YCSBMix: Sendable {
    /// The shares in percent, which add up to 100.
    var shares: [(operation: YCSBOperation, percent: Int)]
    var distribution: KeyDistribution
    var summary: String

    static let longestScan = 100

    static let a = YCSBMix(
        shares: [(.read, 50), (.update, 50)], distribution: .zipfian,
        summary: "half reads, half updates of one field, zipfian")
    static let b = YCSBMix(
        shares: [(.read, 95), (.update, 5)], distribution: .zipfian,
        summary: "95 % reads, 5 % updates of one field, zipfian")
    static let c = YCSBMix(
        shares: [(.read, 100)], distribution: .zipfian, summary: "reads only, zipfian")
    static let d = YCSBMix(
        shares: [(.read, 95), (.insert, 5)], distribution: .latest,
        summary: "95 % reads of the latest records, 5 % inserts")
    static let e = YCSBMix(
        shares: [(.scan, 95), (.insert, 5)], distribution: .zipfian,
        summary: "95 % scans of 1 to 100 records, 5 % inserts, zipfian")
    static let f = YCSBMix(
        shares: [(.read, 50), (.readModifyWrite, 50)], distribution: .zipfian,
        summary: "half reads, half reads that write a field back, zipfian")

    func share(of operation: YCSBOperation) -> Double {
        Double(shares.first { $0.operation == operation }?.percent ?? 0) / 100
    }

    func next(using generator: inout SeededGenerator) -> YCSBOperation {
        var chance = generator.next(below: 100)
        for (operation, percent) in shares {
            chance -= percent
            if chance < 0 { return operation }
        }
        preconditionFailure("the shares of a mix add up to 100")
    }
}
