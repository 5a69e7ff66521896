import Foundation
import Testing

@Suite(.timeLimit(.minutes(2))) struct SensorsTests {
    @Test func theLiveViewCountsAllReadings() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("sensors.realm").path
        let printed = try lines(
            of: "sensors",
            [file, "--sensors", "2", "--readings", "500", "--batch", "5", "--relaxed", "--live"])
        let view = printed.dropLast(2)
        #expect(!view.isEmpty)
        for line in view {
            #expect(line.wholeMatch(of: #/ *[0-9.]+ s +[0-9]+ readings +[0-9]+ a second/#) != nil)
        }
        #expect(view.last?.contains(" 1000 readings ") == true)
        #expect(printed.last?.hasPrefix("sensor 2: 500 readings, ") == true)
    }

    @Test func anEndedProcessIsContinuedWithoutGaps() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("sensors.realm").path
        let arguments = [file, "--sensors", "2", "--readings", "800", "--batch", "1"]
        let ended = try ExampleProcess("sensors", arguments + ["--live"])
        _ = ended.nextLine()
        ended.end()
        let other = folder.url.appendingPathComponent("other.realm").path

        let continued = try lines(of: "sensors", arguments)

        #expect(continued == (try lines(of: "sensors", [other] + arguments.dropFirst())))
    }
}
