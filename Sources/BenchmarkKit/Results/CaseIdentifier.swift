/// The identifier of a case in reports, baselines and on the command line:
/// `workload/strategy/durability/plain|encrypted/size/engine`.
public struct CaseIdentifier: Codable, Hashable, Sendable, CustomStringConvertible {
    public var workload: String
    public var strategy: String
    public var durability = Durability.full
    public var isEncrypted = false
    /// The number of objects that the case works on; for Sensors, the largest number kept.
    public var size: Int
    /// The database: `realm`, or `control` for a row that measures the machine without a database.
    public var engine = "realm"

    init(
        workload: String, strategy: String, durability: Durability = .full,
        isEncrypted: Bool = false,
        size: Int, engine: String = "realm"
    ) {
        self.workload = workload
        self.strategy = strategy
        self.durability = durability
        self.isEncrypted = isEncrypted
        self.size = size
        self.engine = engine
    }

    public var description: String {
        let secrecy = isEncrypted ? "encrypted" : "plain"
        return "\(workload)/\(strategy)/\(durability)/\(secrecy)/\(size)/\(engine)"
    }

    /// Parses an identifier. Nil unless the text has exactly six nonempty, valid parts.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, !parts.contains(""), let size = Int(parts[4]), size >= 0,
            parts[3] == "plain" || parts[3] == "encrypted",
            let durability = Durability(rawValue: parts[2])
        else { return nil }
        workload = parts[0]
        strategy = parts[1]
        self.durability = durability
        isEncrypted = parts[3] == "encrypted"
        self.size = size
        engine = parts[5]
    }
}
