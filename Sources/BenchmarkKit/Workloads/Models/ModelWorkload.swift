import Foundation
import StorageEngine
import Synchronization
import ToolSupport

/// The workloads that suite files describe.
enum ModelWorkloads {
    private static let registered = Locked<[ModelDescription]>([])

    /// The models of the suite that was loaded last, and of those before it.
    static var all: [ModelDescription] { registered.withLock { $0 } }

    /// Makes the models known. A model replaces an earlier one of the same name.
    static func register(_ models: [ModelDescription]) {
        registered.withLock { known in
            known.removeAll { model in models.contains { $0.name == model.name } }
            known += models
        }
    }
}

extension ModelDescription {
    static let strategy = "engine"

    /// The description as the runner takes it.
    var asWorkload: Workload {
        var workload = Workload(
            name: name, summary: summary ?? "the model '\(name)' of a suite file",
            strategies: [
                Workload.Strategy(
                    name: Self.strategy, summary: "through the tables of the storage engine",
                    layer: "engine")
            ], defaultSize: objects,
            options: [.batchSize, .count, .seconds, .seed, .size, .threads],
            isDeterministic: Workload.ifCounted
        ) { try ModelRun(self, CoreCase($0, $1)).run() }
        if objects == 0 {
            workload.options.remove(.size)
            workload.sizeOfOptions = { _ in 0 }
        }
        workload.preparation = { try ModelRun(self, CoreCase($0, $1)).prepare() }
        return workload
    }

    /// The model with as many objects altogether, in the same proportions.
    func scaled(to size: Int) -> ModelDescription {
        var model = self
        for index in classes.indices where classes[index].objects > 0 {
            let share = Double(classes[index].objects) / Double(objects)
            model.classes[index].objects = max(1, Int((share * Double(size)).rounded()))
        }
        return model
    }
}

/// One run of a model's workload.
struct ModelRun {
    private static let objectsOfTransaction = 1000

    private let model: ModelDescription
    private let core: CoreCase

    init(_ model: ModelDescription, _ core: CoreCase) {
        self.model = model.objects == core.size ? model : model.scaled(to: core.size)
        self.core = core
    }

    private var durability: Durability { core.benchmarkCase.identifier.durability }

    // MARK: Preparing

    /// Makes the file that the case begins with, in another process than the measurement.
    func prepare() throws {
        let folder = try FixtureFolder.make(
            "\(core.environment.fixtures)/\(model.name)-\(core.size)-\(core.seed)"
                + (FileEncryption.key == nil ? "" : "-encrypted")
        ) { unfinished in
            try FolderFiles.make(unfinished)
            try fill(unfinished + "/" + PersonsFixture.fileName)
        }
        try? FileManager.default.removeItem(atPath: core.databaseFolder)
        try FolderFiles.copy(folder, to: core.databaseFolder)
        try FolderFiles.sync(below: core.databaseFolder)
    }

    private func fill(_ path: String) throws {
        let connection = try Connection(Database.open(path: path, options: .ofCase))
        func write(_ body: () throws -> Void) throws {
            try connection.beginWrite()
            do { try body() } catch {
                connection.rollback()
                throw error
            }
            // Durable, so that the free pages of the file, and thereby what a case writes, repeat.
            try connection.commit()
        }
        try write { try connection.createTables(model.classes.map(\.table)) }
        var loaded: [String: [ObjectKey]] = [:]
        for (number, own) in model.classes.enumerated() {
            guard let table = try connection.table(named: own.name) else {
                throw BenchmarkError(.caseFailed, "The table '\(own.name)' was not created.")
            }
            let values = ModelValues(own, number: number, seed: core.seed, targets: loaded)
            var keys: [ObjectKey] = []
            while keys.count < own.objects {
                try write {
                    let end = min(keys.count + Self.objectsOfTransaction, own.objects)
                    for number in keys.count..<end {
                        keys.append(
                            try ModelValue.withScalars(values.values(ofNew: number)) {
                                try table.insert($0)
                            })
                    }
                }
                core.environment.progress(
                    ProgressUpdate(
                        phase: "preparing",
                        fraction: Double(keys.count) / Double(own.objects)))
            }
            loaded[own.name] = keys
        }
    }

    // MARK: Running

    func run() throws -> CaseOutcome {
        core.options.threads == 1 ? try single() : try several()
    }

    private func writer(_ number: Int = 0) throws -> ModelWriter {
        try ModelWriter(
            model, at: core.databasePath, durability: durability, seed: core.seed,
            writer: number, of: core.options.threads)
    }

    private func expectation(_ writers: [[ModelObjects]]) -> ModelExpectation {
        ModelExpectation(path: core.databasePath, model, writers)
    }

    private func single() throws -> CaseOutcome {
        let writer = try self.writer()
        var transactions = MeasuredTransactions(core)
        while true {
            let left =
                core.options.count.map { $0 - transactions.operations }
                ?? (transactions.elapsedSeconds < core.options.seconds ? .max : 0)
            if left <= 0 { break }
            let batch = writer.next(min(left, core.options.batchSize))
            try transactions.run(batch.count, on: writer, isCommit: batch.isChange) {
                try writer.run(batch)
            }
            core.progress(
                fraction: core.options.count.map {
                    Double(transactions.operations) / Double($0)
                } ?? transactions.elapsedSeconds / core.options.seconds)
        }
        let (row, latency) = try transactions.row(of: core, writer)
        var result = row
        let expectation = expectation([writer.objects])
        if core.options.count != nil { result.digest = expectation.digest }
        return try CaseOutcome(
            results: [result], histograms: [.latency: latency],
            verification: VerificationRequest(expectation))
    }

    /// What all writers share: when the run ends, and the operations that were done.
    private final class Course: Sendable {
        let end = Atomic<UInt64>(.max)
        let done = Atomic<Int>(0)
    }

    /// What one of several writers has done.
    private struct Share {
        var objects: [ModelObjects]
        var operations: Int
        var commits: Int
        var latency: LatencyRecorder
    }

    private func several() throws -> CaseOutcome {
        let threads = core.options.threads
        let course = Course()
        let workers = WorkerThreads<Share>(count: threads, name: "writer") { number, start in
            let writer = try self.writer(number)
            // Each has its part of the operations, the first ones one more if they do not divide.
            var left = core.options.count.map {
                $0 / threads + (number < $0 % threads ? 1 : 0)
            }
            guard start.wait() else { return nil }
            var share = Share(objects: [], operations: 0, commits: 0, latency: .init())
            while left != 0, monotonicNanoseconds() < course.end.load(ordering: .relaxed) {
                let batch = writer.next(min(left ?? .max, core.options.batchSize))
                let begin = monotonicNanoseconds()
                try writer.run(batch)
                share.latency.record(
                    monotonicNanoseconds() - begin, count: UInt64(batch.count))
                share.operations += batch.count
                if batch.isChange { share.commits += 1 }
                left = left.map { $0 - batch.count }
                course.done.wrappingAdd(batch.count, ordering: .relaxed)
            }
            share.objects = writer.objects
            return share
        }
        workers.waitUntilReady()
        var io = IOMeasurement(core.engine)
        io.resume()
        let start = monotonicNanoseconds()
        if core.options.count == nil {
            course.end.store(
                start + UInt64(core.options.seconds * 1e9), ordering: .relaxed)
        }
        var timeline: [TimelinePoint] = []
        let shares = try MeasuredRegion.run {
            try workers.run {
                timeline.append(sample(course.done.load(ordering: .relaxed), since: start))
            }
        }
        let elapsed = seconds(from: start, to: monotonicNanoseconds())
        io.pause()
        var result = CaseResult(core.benchmarkCase)
        result.batchSize = core.options.batchSize
        result.operations = shares.map(\.operations).reduce(0, +)
        result.elapsedSeconds = elapsed
        result.interval = ThroughputInterval(ratesOfEqualTimes: RunSampler.rates(of: timeline))
        var latency = LatencyRecorder()
        for share in shares { latency.add(share.latency) }
        result.latency = latency.summary()
        result.fill(
            io, commits: shares.map(\.commits).reduce(0, +), pages: nil, logicalBytes: 0)
        result.fill(try writer().size())
        result.peakResidentBytes = ProcessStatus.peakResidentBytes()
        return try CaseOutcome(
            results: [result], timeline: timeline,
            histograms: [.latency: latency.distribution],
            verification: VerificationRequest(expectation(shares.map(\.objects))))
    }

    private func sample(_ operations: Int, since start: UInt64) -> TimelinePoint {
        let elapsed = seconds(from: start, to: monotonicNanoseconds())
        core.progress(
            fraction: core.options.count.map { Double(operations) / Double($0) }
                ?? elapsed / core.options.seconds, rate: Double(operations) / elapsed)
        return TimelinePoint(
            elapsed: elapsed, operations: operations,
            fileBytes: FolderFiles.diskBytes(below: core.databaseFolder),
            residentBytes: ProcessStatus.residentBytes())
    }
}
