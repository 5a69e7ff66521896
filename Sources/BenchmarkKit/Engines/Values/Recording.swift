import Foundation
import Glibc
import Synchronization
import ToolSupport

/// A recording of sensors: the measured values with places and times, in order of time.
struct Recording: Equatable, Sendable {
    struct Entry: Equatable, Sendable {
        /// The position in `sensors`.
        var sensor: Int
        /// The time in seconds since 1970, UTC.
        var time: Double
        var value: Double
    }

    /// The sensors, ordered by identifier.
    var sensors: [SensorDescription]
    /// The readings, ordered by time, then by sensor.
    var entries: [Entry]

    /// The seconds from the first reading to the last.
    var span: Double {
        guard let first = entries.first, let last = entries.last else { return 0 }
        return last.time - first.time
    }

    static let columns = ["city", "location", "date", "parameter", "value"]

    /// Reads a recording with the columns city, location, date, parameter and value.
    static func load(path: String) throws -> Recording {
        var status = stat()
        let isThere = stat(path, &status) == 0
        // A run reads the file again for each case, so a pipe or a device would be empty by then.
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a pipe or a device"
            throw BenchmarkError(
                .usage, "The input '\(path)' is \(kind). Name a CSV file, or 'synthetic'.")
        }
        let state = FileState(path: path, status)
        if isThere, let known = newest.withLock({ $0 }), known.state == state {
            return known.recording
        }
        let bytes: Data
        do { bytes = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw BenchmarkError(
                .usage,
                "The input file '\(path)' cannot be read: "
                    + "\(error.fileProblem)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let first = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
            throw BenchmarkError(.usage, "\(path):\(first + 1): not text in UTF-8")
        }
        let recording = try parse(text, path: path)
        newest.withLock { $0 = (state, recording) }
        return recording
    }

    /// What changes with the contents of a file.
    private struct FileState: Equatable {
        var path: String
        var numbers: [Int]

        init(path: String, _ status: stat) {
            self.path = path
            numbers = [
                Int(status.st_dev), Int(status.st_ino), Int(status.st_size),
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            ]
        }
    }

    /// The recording that was read last. A suite asks for the same one once for each of its cases.
    private static let newest = Mutex<(state: FileState, recording: Recording)?>(nil)

    /// The mark with which some programs begin a text in UTF-8.
    private static let byteOrderMark: Unicode.Scalar = "\u{FEFF}"

    static func parse(_ text: String, path: String) throws -> Recording {
        func fail(_ line: Int, _ reason: String) -> BenchmarkError {
            BenchmarkError(.usage, "\(path):\(line): \(reason)")
        }
        var text = text
        if text.unicodeScalars.first == byteOrderMark { text.unicodeScalars.removeFirst() }
        var records: [CSV.Record]
        do { records = try CSV.parse(text) } catch { throw fail(error.line, error.message) }
        while records.last?.fields == [""] { records.removeLast() }
        if records.isEmpty { throw fail(1, "the file is empty") }
        guard records.first?.fields == columns else {
            throw fail(1, "expected the header \(columns.joined(separator: ","))")
        }
        var positions: [String: Int] = [:]
        var sensors: [SensorDescription] = []
        var entries: [Entry] = []
        entries.reserveCapacity(records.count)
        for record in records.dropFirst() {
            guard record.fields.count == columns.count else {
                throw fail(
                    record.line,
                    "expected \(columns.count) fields, "
                        + "found \(record.fields.count)")
            }
            guard let time = Self.time(record.fields[2]) else {
                throw fail(
                    record.line, "'\(record.fields[2])' is no date and time YYYY-MM-DD HH:MM:SS")
            }
            guard let value = Double(record.fields[4]), value.isFinite else {
                throw fail(record.line, "'\(record.fields[4])' is not a number")
            }
            let sensor = SensorDescription(
                identifier: "\(record.fields[1])/\(record.fields[3])", city: record.fields[0],
                parameter: record.fields[3])
            if positions[sensor.identifier] == nil {
                positions[sensor.identifier] = sensors.count
                sensors.append(sensor)
            }
            entries.append(
                Entry(sensor: positions[sensor.identifier]!, time: time, value: value))
        }
        guard !entries.isEmpty else { throw fail(1, "the recording holds no readings") }
        return Recording(sensors: sensors, entries: entries).inOrder()
    }

    /// Returns the same recording with the sensors ordered by identifier and the entries by time.
    private func inOrder() -> Recording {
        let order = sensors.indices.sorted {
            sensors[$0].identifier < sensors[$1].identifier
        }
        var newPosition = [Int](repeating: 0, count: sensors.count)
        for (position, old) in order.enumerated() { newPosition[old] = position }
        let renumbered = entries.map {
            Entry(sensor: newPosition[$0.sensor], time: $0.time, value: $0.value)
        }
        return Recording(
            sensors: order.map { sensors[$0] },
            entries: renumbered.sorted { ($0.time, $0.sensor) < ($1.time, $1.sensor) })
    }

    /// Returns the recording with another number of sensors. A smaller number keeps the first ones.
    /// A larger one repeats the sensors with the suffixes `#2`, `#3` and so on, and every copy gets
    /// each reading of its original.
    func withSensors(_ count: Int) -> Recording {
        if count == sensors.count { return self }
        let copies = (0..<count).map { position -> SensorDescription in
            var sensor = sensors[position % sensors.count]
            let round = position / sensors.count + 1
            if round > 1 { sensor.identifier += "#\(round)" }
            return sensor
        }
        let expanded = entries.flatMap { entry in
            stride(from: entry.sensor, to: count, by: sensors.count).map {
                Entry(sensor: $0, time: entry.time, value: entry.value)
            }
        }
        return Recording(sensors: copies, entries: expanded)
    }

    /// Returns the seconds since 1970 of `YYYY-MM-DD HH:MM:SS` in UTC; nil for anything else.
    static func time(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count == 19 else { return nil }
        let pattern = Array("0000-00-00 00:00:00".utf8)
        for (byte, expected) in zip(bytes, pattern) {
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int {
            bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60 else {
            return nil
        }
        let days = daysSince1970(year: year, month: month, day: day)
        let (nextYear, nextMonth) = month == 12 ? (year + 1, 1) : (year, month + 1)
        guard days < daysSince1970(year: nextYear, month: nextMonth, day: 1) else { return nil }
        return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar. The computation lets
    /// years begin in March, which makes the leap day the last day of a year; 719,468 days lie
    /// between 0000-03-01 and 1970-01-01.
    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
