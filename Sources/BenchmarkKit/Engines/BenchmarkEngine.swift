import ToolSupport

/// The features that a workload may require of an engine. An engine that lacks one gives the
/// reason, and its rows have the status `unsupported`.
public enum EngineFeature: String, CaseIterable, Sendable {
    case persons, integerKeys, stringKeys, secondaryIndex
    case count, prefixCount, dateRangeCount, sum, sort, iterate
    case updates, deletes, copies, links, backlinks
    case records, recordScans
    case sensors, severalProcesses, pinnedReaders
    /// Several stores on one file that are used at the same time.
    case severalStores
    case objects
    /// All of ``PersonQueries`` except the features below, and links in conditions.
    case queries
    case indexedNumbers, typedQueries, liveResults, observers
    case migrations
}

/// The system calls of an engine so far, counted for the whole process.
public struct IOCounters: Codable, Equatable, Sendable {
    /// The number of calls that make data durable: `fdatasync`, `fsync`, `msync`.
    public var syncs: UInt64
    /// The number of calls that write to files.
    public var writeCalls: UInt64
    public var bytesWritten: UInt64

    public init(syncs: UInt64 = 0, writeCalls: UInt64 = 0, bytesWritten: UInt64 = 0) {
        self.syncs = syncs
        self.writeCalls = writeCalls
        self.bytesWritten = bytesWritten
    }

    public mutating func add(_ other: IOCounters) {
        syncs += other.syncs
        writeCalls += other.writeCalls
        bytesWritten += other.bytesWritten
    }

    public static func - (later: IOCounters, earlier: IOCounters) -> IOCounters {
        IOCounters(
            syncs: later.syncs - earlier.syncs, writeCalls: later.writeCalls - earlier.writeCalls,
            bytesWritten: later.bytesWritten - earlier.bytesWritten)
    }
}

/// The cost of one commit as reported by the engine.
public struct CommitCost: Sendable {
    public var pages: Int
    public var syncNanoseconds: UInt64

    public init(pages: Int, syncNanoseconds: UInt64) {
        self.pages = pages
        self.syncNanoseconds = syncNanoseconds
    }
}

/// The size of a database with all its files, logs included.
public struct StoreSize: Sendable {
    public var fileBytes: Int
    /// The bytes that the newest version uses; nil if the engine does not report them.
    public var liveBytes: Int?
    /// The bytes inside the files that are free for reuse; nil if the engine does not report them.
    public var freeBytes: Int?

    public init(fileBytes: Int, liveBytes: Int? = nil, freeBytes: Int? = nil) {
        self.fileBytes = fileBytes
        self.liveBytes = liveBytes
        self.freeBytes = freeBytes
    }
}

/// A database that workloads measure. Workloads are written once against the stores that an engine
/// opens, and each store works in the way that suits its engine best.
///
/// An engine is a value without state. A new engine is one type that conforms to this protocol,
/// with its stores, registered with `BenchmarkTool.main(allocations:engines:)`.
public protocol BenchmarkEngine: Sendable {
    /// The last part of case identifiers: `realm`, `sqlite` and so on.
    var name: String { get }
    var layer: EngineLayer { get }
    /// A one-line description, including the meaning of the durabilities for the engine.
    var summary: String { get }
    /// The version of the measured library.
    var version: String { get }
    var durabilities: [Durability] { get }
    /// Returns why the engine lacks a feature, as a sentence; nil if it has the feature.
    func reason(against feature: EngineFeature) -> String?
    var counters: IOCounters { get }
    /// Whether ``counters`` counts anything. The rows of an engine without have no such columns.
    var countsCalls: Bool { get }

    /// Opens the persons at `path` and creates what is missing. Several threads may open the same
    /// path; each uses the store that it opened.
    func openPersons(at path: String, _ layout: PersonLayout, _ durability: Durability) throws
        -> any PersonStore
    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore
    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore
    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore
    func openItems(at path: String, _ width: ItemWidth, _ durability: Durability) throws
        -> any ItemStore
    func openElements(at path: String, _ durability: Durability) throws -> any ElementStore
    func openProperties(at path: String, _ durability: Durability) throws -> any PropertyStore
    /// Opens persons after a migration, and migrates them if they are those before it. If
    /// `migration` is nil, opens the persons before any, and creates what is missing.
    func openPersons(
        at path: String, after migration: PersonMigration?, _ durability: Durability
    ) throws -> any MigratedPersons
}

extension BenchmarkEngine {
    public var countsCalls: Bool { true }

    /// Returns an internal error: workloads check `reason(against:)` before they open a store.
    private func missing(_ what: String) -> BenchmarkError {
        BenchmarkError(.internalError, "The engine \(name) stores no \(what).")
    }

    public func openPersons(
        at path: String, _ layout: PersonLayout, _ durability: Durability
    ) throws -> any PersonStore { throw missing("persons") }

    public func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore {
        throw missing("links")
    }

    public func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore {
        throw missing("records")
    }

    public func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore {
        throw missing("sensors")
    }
    public func openItems(
        at path: String, _ width: ItemWidth, _ durability: Durability
    ) throws -> any ItemStore { throw missing("items") }

    public func openElements(
        at path: String, _ durability: Durability
    ) throws -> any ElementStore { throw missing("elements") }

    public func openProperties(
        at path: String, _ durability: Durability
    ) throws -> any PropertyStore { throw missing("properties") }

    public func openPersons(
        at path: String, after migration: PersonMigration?, _ durability: Durability
    ) throws -> any MigratedPersons { throw missing("migrated persons") }
}
