import Foundation

/// The contents that a case's file is expected to have. A fresh process, which knows only these and
/// the file, compares the two.
protocol ContentsExpectation: Codable, Sendable {
    /// Returns every difference between the file and this expectation, one sentence each.
    func problems() throws -> [String]
}

/// The expectation that a fresh process has to verify, as it is passed from process to process.
struct VerificationRequest: Codable, Sendable {
    /// The type of the expectation.
    let kind: String
    private let encoded: Data

    init(_ expectation: some ContentsExpectation) throws {
        kind = Self.kind(of: type(of: expectation))
        encoded = try JSONEncoder().encode(expectation)
    }

    static func kind(of type: any ContentsExpectation.Type) -> String {
        String(describing: type)
    }

    /// Returns the expectation; nil if it is of another type.
    func expectation<Expectation: ContentsExpectation>(
        as type: Expectation.Type
    ) throws -> Expectation? {
        guard kind == Self.kind(of: type) else { return nil }
        return try JSONDecoder().decode(type, from: encoded)
    }
}
