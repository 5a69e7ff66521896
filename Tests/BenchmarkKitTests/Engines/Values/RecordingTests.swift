import Foundation
import Testing
import ToolSupport

@testable import BenchmarkKit

@Suite struct RecordingTests {
    static let text = """
        city,location,date,parameter,value
        B,South,2019-01-01 02:00:00,no2,3
        B,South,2019-01-01 00:00:00,no2,1
        A,North,2019-01-01 01:00:00,pm25,2.5

        """

    static func recording() throws -> Recording {
        try Recording.parse(text, path: "test.csv")
    }

    static func feed(sensors: Int? = nil, payload: Int = 0, limit: Int? = nil) throws
        -> ReadingFeed
    {
        ReadingFeed(
            source: .recording(try recording()), sensors: sensors, payloadBytes: payload, seed: 3,
            limit: limit)
    }

    @Test func readingsAreInOrderOfTime() throws {
        let recording = try Self.recording()
        #expect(recording.sensors.map(\.identifier) == ["North/pm25", "South/no2"])
        #expect(recording.entries.map(\.value) == [1, 2.5, 3])
        #expect(recording.span == 7200)
    }

    @Test func theRecordingOfThePackageHasFiveSensors() throws {
        let recording = try Recording.load(path: ResourceLocator.recording().path)
        #expect(recording.entries.count == 5272)
        #expect(
            recording.sensors.map(\.identifier) == [
                "BETR801/no2", "BETR801/pm25", "FR04014/no2", "London Westminster/no2",
                "London Westminster/pm25",
            ])
        #expect(
            zip(recording.entries, recording.entries.dropFirst()).allSatisfy {
                $0.time <= $1.time
            })
    }

    @Test func timeAdvancesByTheSpanEachRound() throws {
        let feed = try Self.feed()
        let readings = (0..<7).compactMap { _ in feed.next() }
        #expect(readings.map(\.value) == [1, 2.5, 3, 1, 2.5, 3, 1])
        let first = readings[0].time
        #expect(readings.map { $0.time - first } == [0, 3600, 7200, 7200, 10800, 14400, 14400])
    }

    @Test func sequenceNumbersCountUpForEachSensor() throws {
        let feed = try Self.feed()
        let readings = (0..<6).compactMap { _ in feed.next() }
        #expect(readings.map(\.sensor) == [1, 0, 1, 1, 0, 1])
        #expect(readings.map(\.sequence) == [0, 0, 1, 2, 1, 3])
        #expect(feed.produced().map(\.written) == [2, 4])
    }

    @Test func moreSensorsRepeatStationsWithASuffix() throws {
        let feed = try Self.feed(sensors: 5)
        #expect(
            feed.sensors.map(\.identifier) == [
                "North/pm25", "South/no2", "North/pm25#2", "South/no2#2", "North/pm25#3",
            ])
        // Every copy gets each reading of its original.
        let round = (0..<7).compactMap { _ in feed.next() }
        #expect(round.map(\.sensor) == [1, 3, 0, 2, 4, 1, 3])
        #expect(round.map(\.value) == [1, 1, 2.5, 2.5, 2.5, 3, 3])
    }

    @Test func fewerSensorsAreTheFirstOnes() throws {
        let feed = try Self.feed(sensors: 1)
        #expect(feed.sensors.map(\.identifier) == ["North/pm25"])
        #expect((0..<3).compactMap { _ in feed.next()?.value } == [2.5, 2.5, 2.5])
    }

    @Test func endsAtTheLimit() throws {
        let feed = try Self.feed(limit: 4)
        #expect((0..<9).compactMap { _ in feed.next() }.count == 4)
        #expect(feed.produced().reduce(0) { $0 + $1.written } == 4)
    }

    @Test func payloadsAreSeededBytesOfTheAskedLength() throws {
        let first = try Self.feed(payload: 13)
        let second = try Self.feed(payload: 13)
        let payloads = (0..<5).compactMap { _ in first.next()?.payload }
        #expect(payloads == (0..<5).compactMap { _ in second.next()?.payload })
        #expect(payloads.allSatisfy { $0.count == 13 })
        #expect(Set(payloads).count == 5)
        #expect(try Self.feed().next()?.payload.isEmpty == true)
    }

    @Test func syntheticValuesRepeatWithTheirSeed() {
        func values(_ seed: UInt64) -> [Double] {
            let feed = ReadingFeed(
                source: .synthetic, sensors: 3, payloadBytes: 0, seed: seed, limit: nil)
            return (0..<20).compactMap { _ in feed.next()?.value }
        }
        #expect(values(1) == values(1))
        #expect(values(1) != values(2))
        #expect(values(1).allSatisfy { (0..<100).contains($0) })
    }

    @Test(arguments: [
        ("", "1"), ("a,b\n", "1"), ("city,location,date,parameter,value\n", "1"),
        ("city,location,date,parameter,value\nA,B,2019-01-01 00:00:00,no2\n", "2"),
        ("city,location,date,parameter,value\nA,B,yesterday,no2,1\n", "2"),
        ("city,location,date,parameter,value\nA,B,2019-01-01 00:00:00,no2,many\n", "2"),
    ])
    func mistakesNameTheLine(text: String, line: String) {
        do {
            _ = try Recording.parse(text, path: "mine.csv")
            Issue.record("accepted: \(text)")
        } catch let error as BenchmarkError {
            #expect(error.code == .usage)
            #expect(error.message.hasPrefix("mine.csv:\(line): "), "\(error.message)")
        } catch { Issue.record("\(error)") }
    }

    @Test func aMarkInFrontAndBlankLinesAtTheEndAreNoReadings() throws {
        let line = "city,location,date,parameter,value\nA,B,2019-01-01 00:00:00,no2,1\n"
        let plain = try Recording.parse(line, path: "p")
        for text in ["\u{FEFF}" + line, line + "\n", line + "\r\n\n"] {
            #expect(try Recording.parse(text, path: "p") == plain)
        }
        // In the middle, a line is missing something.
        #expect(throws: BenchmarkError.self) {
            try Recording.parse(line + "\nA,B,2019-01-01 00:00:00,no2,1\n", path: "p")
        }
    }

    @Test(arguments: [
        ("/dev/null", "is a pipe or a device"), ("/tmp", "is a folder"),
    ])
    func whatCannotBeReadTwiceIsNamed(path: String, says: String) {
        let error = #expect(throws: BenchmarkError.self) { try Recording.load(path: path) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
    }

    @Test func anotherProcessReadsTheSameRecording() throws {
        let folder = try TemporaryFolder()
        #expect(try PreparedRecording.load(from: folder.path) == nil)
        let recording = try Recording.load(path: ResourceLocator.recording().path)
        try PreparedRecording.write(recording, to: folder.path)
        #expect(try PreparedRecording.load(from: folder.path) == recording)
    }

    @Test func aFileThatHasChangedIsReadAgain() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/recording.csv"
        let header = Recording.columns.joined(separator: ",") + "\n"
        for value in [1.5, 2.5, 3.5] {
            let text = header + "A,B,2019-01-01 00:00:00,no2,\(value)\n"
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            for _ in 0..<2 {
                #expect(try Recording.load(path: path).entries.map(\.value) == [value])
            }
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: BenchmarkError.self) { try Recording.load(path: path) }
    }

    @Test func anUnreadableFileIsAUsageError() {
        #expect(throws: BenchmarkError.self) { try Recording.load(path: "/no/such/file.csv") }
    }

    @Test(
        arguments: [
            ("1970-01-01 00:00:00", 0), ("2019-06-18 06:00:00", 1_560_837_600),
            ("2000-02-29 23:59:59", 951_868_799), ("1969-12-31 23:59:59", -1),
        ] as [(String, Double)])
    func datesAreUTC(text: String, expected: Double) {
        #expect(Recording.time(text) == expected)
    }

    @Test(arguments: [
        "2019-13-01 00:00:00", "2019-02-29 00:00:00", "2019-04-31 00:00:00", "2019-01-00 00:00:00",
        "2019-01-01T00:00:00", "2019-01-01", "x",
    ])
    func otherDatesAreRefused(text: String) {
        #expect(Recording.time(text) == nil)
    }

    @Test func personsRepeatWithTheirSeedAndKeepTheirRanges() {
        var first = PersonGenerator(seed: 5)
        var second = PersonGenerator(seed: 5)
        for number in 0..<1000 {
            let person = first.next()
            #expect(person == second.next())
            #expect(person.name == String(number))
            #expect((0...99).contains(person.age))
            #expect((-946_771_200..<1_262_304_000).contains(person.birthdate))
        }
    }

    @Test func personTextHasRandomNamesAndIsOtherwiseTheSame() {
        var plain = PersonGenerator(seed: 5)
        var text = PersonGenerator(seed: 5, names: .letters)
        var lengths: Set<Int> = []
        var letters: Set<UInt8> = []
        var names: Set<String> = []
        for number in 0..<2000 {
            let (person, other) = (plain.next(), text.next())
            #expect(other.number == number)
            #expect(other.birthdate == person.birthdate && other.age == person.age)
            #expect(other == PersonValues(number: number, seed: 5, names: .letters))
            lengths.insert(other.name.utf8.count)
            letters.formUnion(other.name.utf8)
            names.insert(other.name)
        }
        #expect(lengths == Set(8...20))
        #expect(letters == Set(UInt8(ascii: "a")...UInt8(ascii: "z")))
        // With names of at least eight letters, two of 2,000 are equal once in 100,000 seeds.
        #expect(names.count == 2000)
        #expect(
            PersonValues(number: 0, seed: 6, names: .letters).name
                != PersonValues(number: 0, seed: 5, names: .letters).name)
    }
}
