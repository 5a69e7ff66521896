import StorageEngine

/// What a commit that returned survives. Engines are only compared at equal durability.
public enum Durability: String, Codable, CaseIterable, Sendable {
    /// A power failure at any later moment.
    case full
    /// The death of the process. A power failure loses at most the newest commits, never the file.
    case relaxed
    /// The death of the process. A power failure may lose the file.
    case unsynced
    /// Nothing: there is no file.
    case memory
}

/// How a workload reaches an engine.
public enum EngineLayer: String, Codable, Sendable {
    /// Through objects, the way an application does.
    case api
    /// Through the interface that lies closest to the storage.
    case engine
}

/// What workloads may ask of an engine; one that lacks a feature says why, and its rows say
/// `unsupported`.
public enum EngineFeature: String, CaseIterable, Sendable {
    case persons, integerKeys, stringKeys, secondaryIndex
    case count, prefixCount, dateRangeCount, sum, sort, iterate
    case updates, deletes, copies, links, backlinks
    case records, recordScans
    case sensors, severalProcesses, pinnedReaders
    case objects
    /// Everything of ``PersonQueries`` but what follows, and links in conditions.
    case queries
    case indexedNumbers, typedQueries, liveResults
}

/// What an engine asked of the operating system so far, in the whole process.
public struct IOCounters: Codable, Equatable, Sendable {
    /// Calls that make data durable: `fdatasync`, `fsync`, `msync`.
    public var syncs: UInt64
    /// Calls that write to files.
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

/// What an engine itself tells of one commit.
public struct CommitCost: Sendable {
    public var pages: Int
    public var syncNanoseconds: UInt64

    public init(pages: Int, syncNanoseconds: UInt64) {
        self.pages = pages
        self.syncNanoseconds = syncNanoseconds
    }
}

/// Bytes of a database: all its files, logs included.
public struct StoreSize: Sendable {
    public var fileBytes: Int
    /// Bytes that the newest version uses; nil where the engine cannot tell.
    public var liveBytes: Int?
    /// Bytes inside the files that are free to be used again; nil where the engine cannot tell.
    public var freeBytes: Int?

    public init(fileBytes: Int, liveBytes: Int? = nil, freeBytes: Int? = nil) {
        self.fileBytes = fileBytes
        self.liveBytes = liveBytes
        self.freeBytes = freeBytes
    }
}

/// A database that workloads run against. Workloads are written once, against the stores that an
/// engine opens; each store does its work in the way that its engine does best.
///
/// An engine is a value without state of its own. A new one is one type that conforms to this and
/// its stores, registered with `BenchmarkTool.main(allocations:engines:)`.
public protocol BenchmarkEngine: Sendable {
    /// The last part of case ids: `realm`, `sqlite`, ...
    var name: String { get }
    var layer: EngineLayer { get }
    /// One line for people, with what the durabilities mean to it.
    var summary: String { get }
    /// Version of the library that is measured.
    var version: String { get }
    var durabilities: [Durability] { get }
    /// Why the engine cannot do something, in a sentence; nil if it can.
    func reason(against feature: EngineFeature) -> String?
    var counters: IOCounters { get }

    /// Opens persons at `path` and creates what is missing. May be called by several threads for
    /// one path; each uses the store that it opened.
    func openPersons(at path: String, _ layout: PersonLayout, _ durability: Durability) throws
        -> any PersonStore
    func openLinks(at path: String, _ durability: Durability) throws -> any LinkStore
    func openRecords(at path: String, _ durability: Durability) throws -> any RecordStore
    func openSensors(at path: String, _ durability: Durability) throws -> any SensorStore
    func openItems(at path: String, _ width: ItemWidth, _ durability: Durability) throws
        -> any ItemStore
    func openElements(at path: String, _ durability: Durability) throws -> any ElementStore
    func openProperties(at path: String, _ durability: Durability) throws -> any PropertyStore
}

/// The engines of this program: the embedded one, and those that the executable brings.
public enum EngineCatalogue {
    private static let registered = Locked<[any BenchmarkEngine]>([])

    public static func register(_ engines: [any BenchmarkEngine]) {
        registered.withLock { $0 = engines }
    }

    public static var all: [any BenchmarkEngine] {
        [RealmObjectEngine(), RealmTableEngine()] + registered.withLock { $0 }
    }

    /// Names, each once.
    static var names: [String] {
        all.map { $0.name }.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Nil if the engine has no such layer.
    static func engine(named name: String, layer: EngineLayer) throws -> (any BenchmarkEngine)? {
        let found = all.filter { $0.name == name }
        guard !found.isEmpty else {
            throw BenchmarkError(
                .usage, NameSuggestion.message(kind: "engine", name: name, among: names))
        }
        return found.first { $0.layer == layer }
    }
}

extension BenchmarkEngine {
    /// Stores that an engine lacks are never asked for: `reason(against:)` says so before.
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
}
