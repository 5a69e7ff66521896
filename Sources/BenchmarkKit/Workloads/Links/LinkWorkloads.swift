import Foundation
import ToolSupport

/// Lists of links. One operation is one link.
enum LinkLists {
    static let membersPerOwner = 100

    /// Returns the number of owners whose lists contain about `size` members together.
    static func owners(_ size: Int) -> Int { max(1, size / membersPerOwner) }
    static func members(_ size: Int) -> Int { owners(size) * membersPerOwner }

    /// Returns the expected result of following all links.
    static func sum(_ size: Int) -> Int {
        (0..<members(size)).reduce(0) { $0 + $1 % 1000 }
    }

    /// Returns how many lists have a member with the given value.
    static func owners(_ size: Int, ofMemberWith value: Int) -> Int {
        let numbers = stride(from: value, to: members(size), by: 1000)
        return Set(numbers.map { $0 / membersPerOwner }).count
    }

    /// Returns the digest of every link of every list.
    static func digest(owners: Int, members: Int) -> ResultDigest {
        var digest = ResultDigest()
        for member in 0..<owners * members {
            digest.add(row(member / members, member % members, member % 1000))
        }
        return digest
    }

    static func row(_ owner: Int, _ position: Int, _ value: Int) -> ResultDigest.Row {
        var row = ResultDigest.Row()
        row.combine(owner)
        row.combine(position)
        row.combine(value)
        return row
    }
}

extension CoreCase {
    func openLinks(_ path: String) throws -> any LinkStore {
        try engine.openLinks(at: path, benchmarkCase.identifier.durability)
    }

    /// The number of owners in one transaction, which contains about one batch of members.
    var ownersPerTransaction: Int { max(1, options.batchSize / LinkLists.membersPerOwner) }

    func buildLinks(_ store: any LinkStore) throws {
        try store.build(
            owners: LinkLists.owners(size), members: LinkLists.membersPerOwner,
            batchSize: ownersPerTransaction)
    }
}

extension Workload {
    static let linksBuild = core(
        "links-build", "builds lists of 100 links to new objects, --batch-size of them a commit",
        needs: [.links]
    ) { core in
        try core.makeDatabaseFolder()
        let store = try core.openLinks(core.databasePath)
        core.progress(fraction: 0)
        var io = IOMeasurement(core.engine)
        var allocations = AllocationMeasurement(core.environment.allocations)
        io.resume()
        let start = monotonicNanoseconds()
        try MeasuredRegion.run { try core.buildLinks(store) }
        let elapsed = seconds(from: start, to: monotonicNanoseconds())
        io.pause()
        let operations = LinkLists.members(core.size)
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocations.finish(operations: operations))
        result.batchSize = core.ownersPerTransaction * LinkLists.membersPerOwner
        result.operations = operations
        result.elapsedSeconds = elapsed
        let owners = LinkLists.owners(core.size)
        let batch = core.ownersPerTransaction
        // The logical bytes are a link and a value, of 8 bytes each.
        result.fill(
            io, commits: (owners + batch - 1) / batch, pages: nil,
            logicalBytes: operations * 16)
        result.fill(try store.size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        let digest = LinkLists.digest(owners: owners, members: LinkLists.membersPerOwner).text
        result.digest = digest
        return try CaseOutcome(
            results: [result],
            verification: VerificationRequest(
                LinksExpectation(
                    engine: core.engine.name, layer: core.engine.layer,
                    durability: core.benchmarkCase.identifier.durability, path: core.databasePath,
                    links: operations, digest: digest)))
    }.with {
        $0.defaultSize = 100_000
        $0.countIsSize = true
        $0.options = [.size, .count, .batchSize]
    }

    /// Passes over all links of a file that another process creates beforehand. `pass` returns the
    /// answer of a store, and `expect` that of a file with links to so many objects.
    static func linkPass(
        _ name: String, _ summary: String, needs features: [EngineFeature] = [],
        _ pass: @escaping @Sendable (any LinkStore) throws -> Int,
        expect: @escaping @Sendable (_ size: Int) -> Int
    ) -> Workload {
        core(name, summary, needs: [.links] + features) { core in
            try runPasses(core, pass, expect)
        }.with {
            $0.defaultSize = 100_000
            $0.options = [.size, .count]
            $0.preparation = { benchmarkCase, environment in
                let core = try CoreCase(benchmarkCase, environment)
                try core.makeDatabaseFolder()
                try core.buildLinks(core.openLinks(core.databasePath))
            }
        }
    }

    private static func runPasses(
        _ core: CoreCase, _ pass: (any LinkStore) throws -> Int, _ expect: (Int) -> Int
    ) throws -> CaseOutcome {
        let store = try core.openLinks(core.databasePath)
        core.progress(fraction: 0)
        let links = LinkLists.members(core.size)
        let expected = expect(core.size)
        let passes =
            core.options.count.map { max(1, $0 / links) }
            ?? min(1000, max(5, 2_000_000 / links))
        _ = try pass(store)
        var allocations = AllocationMeasurement(core.environment.allocations)
        var timer = BatchTimer(batchSize: links)
        try MeasuredRegion.run {
            for _ in 0..<passes {
                guard try pass(store) == expected else {
                    throw BenchmarkError(.caseFailed, "The links lead to wrong objects.")
                }
                timer.endBatch()
            }
        }
        var result = CaseResult(core.benchmarkCase)
        result.fill(allocations.finish(operations: timer.operations))
        timer.fill(&result)
        result.measure("pass_p50_us", timer.batchMedian)
        result.fill(try store.size())
        result.digest = ResultDigest.text(of: UInt64(expected))
        return CaseOutcome(results: [result])
    }
}

/// The expected contents of a file of links after a run.
struct LinksExpectation: ContentsExpectation {
    var engine: String
    var layer: EngineLayer
    var durability: Durability
    var path: String
    var links: Int
    /// The digest of owners, positions and values.
    var digest: String

    /// Returns every difference between the file and this expectation, one sentence each.
    func problems() throws -> [String] {
        guard let engine = try EngineCatalogue.engine(named: engine, layer: layer) else {
            throw BenchmarkError(.usage, "The engine \(engine) has no layer '\(layer)'.")
        }
        let store = try engine.openLinks(at: path, durability)
        var problems = try store.problems()
        var found = ResultDigest()
        try store.forEachLink { found.add(LinkLists.row($0, $1, $2)) }
        if found.text != digest {
            problems.append("The lists do not hold the links that were written, in their order.")
        }
        if engine.reason(against: .backlinks) == nil, try store.countOfOwners() != links {
            problems.append("The objects are not in \(links) lists.")
        }
        return problems
    }
}
