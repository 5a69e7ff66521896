import Foundation
import RealmSwift
import Testing

private enum Status: String, PersistableEnum { case notStarted, inProgress, complete }
private enum Level: Int, PersistableEnum { case low = 1, middle = 5, high = -3 }
private enum Small: Int8, PersistableEnum { case a = -128, b = 127 }
private enum Ratio: Double, PersistableEnum { case half = 0.5, whole = 1 }
private enum Weight: Float, PersistableEnum { case light = 0.25, heavy = 8 }

private class Job: Object {
    @Persisted(primaryKey: true) var id: Level
    @Persisted var status: Status
    @Persisted var lastStatus: Status?
    @Persisted(indexed: true) var level = Level.middle
    @Persisted var small: Small
    @Persisted var ratio: Ratio?
    @Persisted var weight: Weight
    @Persisted var history: List<Status>
    @Persisted var gaps: List<Level?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The table of `Job`, without the enums.
private class RawJob: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var status: String
    @Persisted var lastStatus: String?
    @Persisted(indexed: true) var level: Int
    @Persisted var small: Int8
    @Persisted var ratio: Double?
    @Persisted var weight: Float
    @Persisted var history: List<String>
    @Persisted var gaps: List<Int?>
    override class func className() -> String { Job.className() }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct PersistableEnumTests {
    @Test func startsWithTheFirstCase() {
        let job = Job()
        #expect(job.status == .notStarted && job.id == .low && job.level == .middle)
        #expect(job.lastStatus == nil && job.small == .a)
        #expect(Level() == .low)
    }

    @Test func casesCompareByRawValue() {
        #expect(Level.high < .low && Status.complete < .inProgress)
        #expect(Level.allCases.max() == .middle)
    }

    @Test func survivesReopening() throws {
        let directory = TestDirectory()
        do {
            let realm = try directory.realm([Job.self])
            let job = Job(value: [
                "id": Level.high, "status": "complete", "lastStatus": Status.inProgress,
                "level": 5, "small": 127, "ratio": 0.5, "weight": 8,
                "history": ["inProgress", "complete"], "gaps": [1, nil, Level.high],
            ])
            #expect(job.status == .complete && job.id == .high && job.gaps[2] == .high)
            try realm.write { realm.add(job) }
            #expect(job.status == .complete && job.lastStatus == .inProgress)
        }
        let realm = try directory.realm([Job.self])
        let job = try #require(realm.object(ofType: Job.self, forPrimaryKey: Level.high))
        #expect(job.status == .complete && job.lastStatus == .inProgress && job.level == .middle)
        #expect(job.small == .b && job.ratio == .half && job.weight == .heavy)
        #expect(Array(job.history) == [.inProgress, .complete])
        #expect(Array(job.gaps) == [.low, nil, .high])
        #expect(realm.object(ofType: Job.self, forPrimaryKey: -3) != nil)
        #expect(realm.object(ofType: Job.self, forPrimaryKey: Level.low) == nil)
        try realm.write {
            job.status = .notStarted
            job.lastStatus = nil
            job.ratio = .whole
            job.history.append(.notStarted)
            job.gaps[0] = nil
        }
        #expect(job.status == .notStarted && job.lastStatus == nil && job.ratio == .whole)
        #expect(job.history.index(of: .notStarted) == 2 && job.gaps[0] == nil)
    }

    @Test func schemaAndDynamicAccessKnowRawValues() throws {
        let job = Job()
        #expect(job["status"] as? String == "notStarted" && job["id"] as? Int == 1)
        job["status"] = "complete"
        job["lastStatus"] = Status.inProgress
        #expect(job.status == .complete && job.lastStatus == .inProgress)
        let schema = job.objectSchema
        #expect(schema["status"]?.type == .string && schema["level"]?.type == .int)
        #expect(schema["lastStatus"]?.isOptional == true && schema["level"]?.isIndexed == true)
        #expect(schema.primaryKeyProperty?.name == "id")
    }

    @Test func aPropertyMayChangeBetweenEnumAndRawValueWithoutAMigration() throws {
        let directory = TestDirectory()
        do {
            let realm = try directory.realm([RawJob.self])
            try realm.write {
                realm.create(
                    RawJob.self,
                    value: [
                        "id": 1, "status": "complete", "lastStatus": "gone", "weight": 8,
                        "level": 1, "small": 127, "ratio": 7, "gaps": [1, 2, nil],
                    ])
            }
        }
        let realm = try directory.realm([Job.self])
        let job = try #require(realm.objects(Job.self).first)
        #expect(job.status == .complete && job.level == .low)
        // Documented: a stored raw value without a case reads as nil where that is possible.
        #expect(job.lastStatus == nil && job.ratio == nil)
        #expect(Array(job.gaps) == [.low, nil, nil])
    }

    @Test func storedRawValueWithoutCaseStopsWhereNilIsImpossible() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TestDirectory()
            try autoreleasepool {
                let realm = try directory.realm([RawJob.self])
                try realm.write { _ = realm.create(RawJob.self, value: ["status": "gone"]) }
            }
            _ = try directory.realm([Job.self]).objects(Job.self).first?.status
        }
        expectStop(
            "Failed to convert persisted value 'gone' to type 'Status' in a non-optional context.",
            result)
    }

    @Test func givenRawValueWithoutCaseStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Job(value: ["level": 17]) }
        expectStop("Could not convert value '17' to type 'Level'.", result)
    }

    @Test func givenValueOfAnotherTypeStops() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Job(value: ["level": "high"]) }
        expectStop(
            "Invalid value 'high' of type 'String' for 'int' property 'Job.level'.", result)
    }
}
