import ToolSupport

extension VerificationRequest {
    private static let kinds: [any ContentsExpectation.Type] = [
        LinksExpectation.self, MigrationExpectation.self, ModelExpectation.self,
        ObjectsExpectation.self, OwnExpectation.self, RecordsExpectation.self,
        SensorsExpectation.self, TableExpectation.self,
    ]

    /// Returns every difference between the file and its expected contents, one sentence each.
    func problems() throws -> [String] {
        for type in Self.kinds {
            if let expectation = try expectation(as: type) { return try expectation.problems() }
        }
        throw BenchmarkError(.internalError, "Nothing verifies contents of the kind '\(kind)'.")
    }
}
