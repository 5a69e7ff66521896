import Foundation

/// The contents of a case's file that a fresh process has to verify.
enum VerificationRequest: Codable, Sendable {
    case sensors(SensorsExpectation)
    case table(TableExpectation)
    case links(LinksExpectation)
    case records(RecordsExpectation)
    case objects(ObjectsExpectation)

    func problems() throws -> [String] {
        switch self {
        case .sensors(let expectation): try expectation.problems()
        case .table(let expectation): try expectation.problems()
        case .links(let expectation): try expectation.problems()
        case .records(let expectation): try expectation.problems()
        case .objects(let expectation): try expectation.problems()
        }
    }
}
