import StorageEngine
import StressModel

/// Settings shared by the layers with a workload: `seed`, `scale`, `transactions`, `skip` (numbers
/// of transactions left out, separated by commas), `file` (see `FileKind`), `format` (of the file
/// that is prepared, if not the present one), `durability`, and `compacts` (whether writing
/// processes ask for a compaction before they open the file).
extension StressPoint {
    /// The names of the settings of a layer with a workload in a file.
    static let ofWorkload = ["file", "scale", "seed", "skip", "transactions"]

    package func workload() throws -> StressWorkload {
        StressWorkload(
            seed: try value("seed", default: 0),
            scale: try value("scale", default: StressScale.mixed),
            count: try transactionCount(), skipping: try skipped())
    }

    /// Returns the number of transactions, including those skipped.
    private func transactionCount() throws -> Int {
        try number("transactions", in: 1...100_000, default: 12)
    }

    package func skipped() throws -> Set<Int> {
        guard let text = self["skip"] else { return [] }
        let numbers = text.split(separator: ",").map { Int($0) }
        guard !numbers.contains(nil) else { throw unreadable("skip", text) }
        return Set(numbers.compactMap { $0 })
    }

    package func skipping(_ numbers: Set<Int>) -> StressPoint {
        let text = numbers.sorted().map(String.init).joined(separator: ",")
        return with("skip", text.isEmpty ? nil : text)
    }

    package func options() throws -> Database.Options {
        var options = try value("file", default: FileKind.plain).options
        let formats = Database.Options.formatVersions
        options.formatVersion = UInt32(
            try number(
                "format", in: Int(formats.lowerBound)...Int(formats.upperBound),
                default: Int(formats.upperBound)))
        return options
    }

    /// Returns the same point with files of an earlier format, another one in each round.
    func withEarlierFormat(_ round: Int) -> StressPoint {
        let earlier = Array(Database.Options.formatVersions.dropLast())
        return with("format", earlier[round % earlier.count])
    }

    package func durability() throws -> CommitDurability {
        try value("durability", default: CommitDurability.full)
    }

    package func compacts() throws -> Bool { try value("compacts", default: false) }

    /// Returns the same point with fewer transactions, the largest steps first.
    ///
    /// - Parameter places: settings that name a place in a run of the workload. Another workload
    ///   does not have that place, so they are left out and all places are tried.
    package func withSmallerWorkloads(places: String...) throws -> [StressPoint] {
        let base = places.reduce(self) { $0.with($1, String?.none) }
        let count = try transactionCount()
        let skipped = try skipped()
        let kept = (1...count).filter { !skipped.contains($0) }
        var candidates: [StressPoint] = []
        // Drop the transactions after the failure first.
        if count > 1 {
            for shorter in Set([count / 2, count * 3 / 4, count - 1]).sorted() where shorter > 0 {
                candidates.append(
                    base.with("transactions", shorter)
                        .skipping(skipped.filter { $0 <= shorter }))
            }
        }
        var size = kept.count / 2
        while size > 0 {
            for start in stride(from: 0, to: kept.count, by: size) {
                let part = kept[start..<min(start + size, kept.count)]
                if part.count < kept.count { candidates.append(base.skipping(skipped.union(part))) }
            }
            size /= 2
        }
        return candidates
    }
}

/// Kind of a file: plain, encrypted, or encrypted with a small cache.
package enum FileKind: String, CaseIterable, Sendable {
    case plain, encrypted
    /// Encrypted, with a cache of only 32 KiB of decrypted pages.
    case tight = "encrypted-tight"

    /// Returns the kind of file for a round. Every other one is plain.
    static func turn(_ number: Int) -> FileKind {
        if number % 2 == 0 { return .plain }
        return number % 4 == 1 ? .encrypted : .tight
    }

    package var options: Database.Options {
        // The key is in the source and protects nothing.
        var options = Database.Options(
            encryptionKey: self == .plain ? nil : (0..<64).map { UInt8(200 - $0) })
        if self == .tight { options.mostDecryptedBytes = 32 << 10 }
        return options
    }
}
