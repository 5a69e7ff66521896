/// The sensors of one file. Shared by the threads of a run; each opens a session of its own.
public protocol SensorStore: Sendable {
    /// Creates the sensors, in order; once, before any session.
    func create(_ sensors: [SensorDescription]) throws
    /// A session for the calling thread. `sensors` are those that were created, in their order.
    func makeSession(_ sensors: [SensorDescription]) throws -> any SensorSession
    /// Everything that is stored, for the proof.
    func contents() throws -> [StoredSensor]
    func size() throws -> StoreSize
    /// Versions that readers hold.
    func pinnedVersions() throws -> Int
    /// Defects of the file's structure, in sentences, as far as the engine can check it.
    func problems() throws -> [String]
}

/// Writes readings. Belongs to the thread that made it.
public protocol SensorSession: AnyObject {
    func begin() throws
    /// Appends the reading to its sensor, counts it there, and deletes the oldest beyond
    /// `SensorAccount.capacity`.
    func append(_ reading: ProducedReading) throws
    /// Returns when the transaction is as durable as was asked for.
    func commit() throws -> CommitCost?
    func cancel()
}

/// One measured parameter of one station: what the sensor is called and where it stands.
public struct SensorDescription: Codable, Equatable, Sendable {
    public var identifier, city, parameter: String

    public init(identifier: String, city: String, parameter: String) {
        self.identifier = identifier
        self.city = city
        self.parameter = parameter
    }
}

/// What a file holds of one sensor.
public struct StoredSensor: Sendable {
    public var identifier: String
    public var account: SensorAccount
    /// Sequence numbers of the kept readings in commit order.
    public var kept: [Int]

    public init(identifier: String, account: SensorAccount, kept: [Int]) {
        self.identifier = identifier
        self.account = account
        self.kept = kept
    }
}
