/// Objects of different widths, added as objects or created from dictionaries.
enum ObjectAddWorkload {
    static let workload = Workload.objects(
        "object-add", "adds objects with properties of the usual kinds, no key", strategies, run
    ).with {
        $0.countIsSize = true
        $0.options.insert(.batchSize)
    }

    private static let dictionary = "dictionary"

    private static let strategies =
        ItemWidth.allCases.map {
            (name: $0.rawValue, summary: "makes and adds objects with \($0.words)")
        } + [
            (name: dictionary, summary: "creates objects with ten properties from dictionaries")
        ]

    private static func run(_ core: CoreCase) throws -> CaseOutcome {
        let width = ItemWidth(rawValue: core.strategy) ?? .ten
        try core.makeDatabaseFolder()
        let store = try core.engine.openItems(at: core.databasePath, width, core.durability)
        var transactions = MeasuredTransactions(core)
        var digest = ResultDigest()
        var logicalBytes = 0
        for first in stride(from: 0, to: core.size, by: core.options.batchSize) {
            let end = min(first + core.options.batchSize, core.size)
            let items = (first * width.groups..<end * width.groups).map {
                ItemValues(number: $0, seed: core.seed)
            }
            if core.strategy == dictionary {
                let dictionaries = items.map { store.dictionary(of: [$0]) }
                try transactions.run(end - first, on: store) {
                    try store.create(from: dictionaries[...])
                }
            } else {
                try transactions.run(end - first, on: store) { try store.add(items[...]) }
            }
            for item in items {
                digest.add(item.narrowed(to: width).row)
                logicalBytes += item.textBytes(width)
            }
            logicalBytes += (end - first) * width.fixedBytes
            core.progress(fraction: Double(end) / Double(core.size))
        }
        var (result, latency) = try transactions.row(of: core, store, logicalBytes: logicalBytes)
        result.digest = digest.text
        return try CaseOutcome(
            results: [result], histograms: [.latency: latency],
            verification: core.expectation(
                of: .items(width), rows: core.size * width.groups, digest))
    }
}

extension ItemWidth {
    /// The width as in "objects with 3 properties".
    var words: String { rawValue.replacing("-", with: " ") }
}
