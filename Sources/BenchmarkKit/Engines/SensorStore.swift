/// The sensors of one file. The threads of a run share the store, and each opens a session.
public protocol SensorStore: Sendable {
    /// Creates the sensors in order. Called once, before any session.
    func create(_ sensors: [SensorDescription]) throws
    /// Creates a session for the calling thread. `sensors` are the created sensors, in their order.
    func makeSession(_ sensors: [SensorDescription]) throws -> any SensorSession
    /// Returns everything stored, for the verification.
    func contents() throws -> [StoredSensor]
    func size() throws -> StoreSize
    /// Returns the number of versions that readers pin.
    func pinnedVersions() throws -> Int
    /// Returns the defects of the file's structure, one sentence each, as far as the engine can
    /// check it.
    func problems() throws -> [String]
}

/// A session that writes readings. It belongs to the thread that created it.
public protocol SensorSession: AnyObject {
    func begin() throws
    /// Appends the reading to its sensor, counts it there, and deletes the oldest readings beyond
    /// `SensorAccount.capacity`.
    func append(_ reading: ProducedReading) throws
    /// Commits; returns once the transaction has the requested durability.
    func commit() throws -> CommitCost?
    func cancel()
}

/// The identification of a sensor: one measured parameter of one station.
public struct SensorDescription: Codable, Equatable, Sendable {
    public var identifier, city, parameter: String

    public init(identifier: String, city: String, parameter: String) {
        self.identifier = identifier
        self.city = city
        self.parameter = parameter
    }
}

/// The stored state of one sensor.
public struct StoredSensor: Sendable {
    public var identifier: String
    public var account: SensorAccount
    /// The sequence numbers of the kept readings in commit order.
    public var kept: [Int]

    public init(identifier: String, account: SensorAccount, kept: [Int]) {
        self.identifier = identifier
        self.account = account
        self.kept = kept
    }
}
