import StorageEngine
import StressModel

/// Damages small files in every place.
struct HostileFilesLayer: StressLayer {
    let name = "hostile-files"
    let summary = "changes every byte of small files, cuts them, and puts blocks in wrong places"
    let proves = "a damaged file is an error or holds exactly what it held, in bounded time"
    let settings = StressPoint.ofWorkload + ["damage", "slice"]
    let scenarios = [
        StressScenario("bytes", "one byte is another one; 64 rounds try every byte"),
        StressScenario("cut", "the file ends at a block, or within it"),
        StressScenario("copied", "a block holds what another one holds"),
        StressScenario("older", "a block holds what it held some transactions ago"),
        StressScenario("zeros", "a block holds zeros, or all do"),
    ]

    /// Enough transactions that pages are reused after the first half of them.
    private static let manyTransactions = 40
    /// Number of slices that the bytes of a file are divided into. A round tries one slice, some
    /// thousands of bytes.
    private static let slices = 64
    /// Coprime to the number of slices.
    private static let stride = 37

    func points(round: Int, seed: UInt64) -> [StressPoint] {
        scenarios.enumerated().map { index, scenario in
            let point = StressPoint(name, scenario.name)
                .with("file", FileKind.turn(round + index).rawValue)
                .with("transactions", scenario.name == "older" ? Self.manyTransactions : 8)
            guard scenario.name == "bytes" else {
                return point.with("seed", seed &+ UInt64(round))
            }
            // Use the same file until every byte of it was tried, once in a plain and once in an
            // encrypted form, which alternate.
            let turn = round / 2
            return point.with("slice", turn % Self.slices)
                .with("seed", seed &+ UInt64(turn / Self.slices))
        }
    }

    func run(_ point: StressPoint, in trial: Trial) throws {
        let file = try HostileFile(point, trial)
        for damage in try damages(point, file) {
            try trial.attempt(point.without("slice").with("damage", damage)) {
                let path = trial.file("damaged")
                try trial.write(
                    damage.applied(to: file.bytes, earlier: file.earlier), to: path)
                defer { trial.remove(path) }
                trial.cover(try file.judge(damage, at: path) ? "harmless" : "reported")
                trial.count(states: 1)
            }
            if trial.mustStop { return }
        }
    }

    /// Returns the damage that the point names, or all damages of its scenario.
    private func damages(_ point: StressPoint, _ file: HostileFile) throws -> [FileDamage] {
        if let named = try point.value("damage", as: FileDamage.self) {
            guard named.isPossible(in: file.bytes, earlier: file.earlier) else {
                throw point.unreadable("damage", named.description)
            }
            return [named]
        }
        var random = RepeatableRandom(seed: try point.value("seed", default: 0), part: 6 << 32)
        let size = FileDamage.blockSize
        let blocks = 0..<file.bytes.count / size
        switch point.scenario {
        case "bytes":
            let slice = try point.number("slice", in: 0...Self.slices - 1, default: 0)
            // One byte of each row of `slices` bytes, at a different offset in each row.
            return (0..<file.bytes.count / Self.slices).map { row in
                .flip(
                    row * Self.slices + (slice + row * Self.stride) % Self.slices,
                    mask: UInt8(1 + random.below(255)))
            }
        case "cut":
            // Not cut to an empty file, because that is one to be created.
            return blocks.flatMap { block -> [FileDamage] in
                let within = block * size + 1 + random.below(size - 1)
                return (block == 0 ? [] : [.cut(block * size)]) + [.cut(within)]
            }
        case "copied":
            return blocks.map { .copy(from: random.below(blocks.count), to: $0) }
        case "older":
            return (0..<min(file.bytes.count, file.earlier.count) / size).map { .older($0) }
        default: return [.zeros] + blocks.map { .zero($0) }
        }
    }

    func smaller(than point: StressPoint) throws -> [StressPoint] {
        try point.withSmallerWorkloads(places: "damage", "slice")
    }
}
