import ToolSupport

/// The performance targets of the design.
extension SpeedCheck {
    static let core: [SpeedCheck] =
        [
            durableRate("sensors", "dedicated-thread", target: 0.7, control: "bare-disk"),
            durableRate("commit", "api", target: 0.85, control: "api-bare-disk"),
            durableRate("commit", "engine", target: 0.85, control: "engine-bare-disk"),
            batchedRate, groupedRate,
            insertRate("api", target: 500_000), insertRate("engine", target: 2_000_000),
            propertyRead("same-module", target: 5), propertyRead("other-module", target: 15),
            lookup, indexedLookup, count, columnScan("3-properties"),
            columnScan("30-properties"), opening, fileSize, insertMemory,
        ]

    /// Creates the check of single durable commits against the bare disk, which is interleaved with
    /// them.
    private static func durableRate(
        _ workload: String, _ strategy: String, target: Double, control: String
    ) -> SpeedCheck {
        SpeedCheck { rows in
            guard let row = rows.row(workload, strategy),
                let ratio = row.measure("ratio_to_control")
            else { return nil }
            return Outcome(
                title: "\(workload)/\(strategy) : bare disk", unit: "", bound: .atLeast,
                target: target, measured: ratio,
                controls: rows.control(control, of: row, "bare commits/s") { $0.throughput },
                objection: objection(to: row, operations: fewestOperations),
                ceiling: mostOfControl)
        }
    }

    private static let batchedRate = SpeedCheck { rows in
        guard let other = rows.row("sensors", "batched"), let batched = other.throughput,
            let row = rows.row("sensors", "dedicated-thread"), let single = row.throughput,
            single > 0
        else { return nil }
        return Outcome(
            title: "sensors/batched : dedicated-thread", unit: "", bound: .atLeast, target: 20,
            measured: batched / single,
            controls: rows.control("bare-disk", of: row, "bare commits/s") { $0.throughput },
            objection: objection(to: row, operations: fewestOperations)
                ?? objection(to: other, operations: fewestObjects))
    }

    private static let groupedRate = SpeedCheck { rows in
        guard let other = rows.row("sensors", GroupedAsyncStrategy.name),
            let grouped = other.throughput, let row = rows.row("sensors", "dedicated-thread"),
            let single = row.throughput,
            single > 0
        else { return nil }
        return Outcome(
            title: "sensors/async-grouped : dedicated-thread", unit: "", bound: .atLeast,
            target: 5, measured: grouped / single,
            controls: rows.control("bare-disk", of: row, "bare commits/s") { $0.throughput },
            objection: objection(to: row, operations: fewestOperations)
                ?? objection(to: other, operations: fewestOperations))
    }

    private static func insertRate(_ strategy: String, target: Double) -> SpeedCheck {
        SpeedCheck { rows in
            guard let row = rows.row("insert", strategy), let rate = row.throughput else {
                return nil
            }
            return Outcome(
                title: title("insert/\(strategy)", row), unit: "objects/s", bound: .atLeast,
                target: target, measured: rate,
                controls: rows.control("\(strategy)-bare-disk", of: row, "same bytes to disk") {
                    $0.throughput
                }
                    + rows.control("\(strategy)-unmanaged", of: row, "objects made") {
                        $0.throughput
                    }, objection: objection(to: row, objects: fewestObjects))
        }
    }

    private static func propertyRead(_ strategy: String, target: Double) -> SpeedCheck {
        SpeedCheck { rows in
            guard let row = rows.row("property-read", strategy), let latency = row.latency else {
                return nil
            }
            return Outcome(
                title: "property-read/\(strategy)", unit: "ns", bound: .atMost, target: target,
                measured: latency.p50 * 1000,
                controls: rows.control("\(strategy)-plain", of: row, "plain class") {
                    $0.latency.map { $0.p50 * 1000 }
                }, objection: objection(to: row, operations: fewestObjects))
        }
    }

    private static let lookup = SpeedCheck { rows in
        guard let row = rows.row("lookup", "api"), let latency = row.latency else { return nil }
        return Outcome(
            title: title("lookup/api", row), unit: "us", bound: .atMost, target: 1.5,
            measured: latency.p50,
            controls: rows.control("dictionary", of: row, "dictionary") { $0.latency?.p50 },
            objection: objection(
                to: row, objects: fewestObjects, operations: fewestOperations))
    }

    private static let indexedLookup = SpeedCheck { rows in
        guard let row = rows.row("lookup-indexed", "api"), let latency = row.latency else {
            return nil
        }
        return Outcome(
            title: title("lookup-indexed/api", row), unit: "us", bound: .atMost, target: 2,
            measured: latency.p50,
            controls: rows.tables("lookup-indexed") { $0.latency?.p50 },
            objection: objection(
                to: row, objects: fewestObjects, operations: fewestOperations))
    }

    private static let count = SpeedCheck { rows in
        guard let row = rows.row("count", "api"), let rate = row.throughput else { return nil }
        return Outcome(
            title: title("count/api", row), unit: "objects/s", bound: .atLeast,
            target: 2_000_000_000, measured: rate,
            controls: rows.tables("count") { $0.throughput },
            objection: objection(to: row, objects: fewestObjects))
    }

    /// Creates the check of a scan against the same bytes in a plain array, read by the same
    /// thread.
    private static func columnScan(_ strategy: String) -> SpeedCheck {
        SpeedCheck { rows in
            guard let row = rows.row("scan-column", strategy), let rate = row.throughput,
                let memory = rows.control(
                    "\(strategy)-memory", of: row, "memory, values/s",
                    {
                        $0.throughput
                    }
                ).first
            else { return nil }
            return Outcome(
                title: title("scan-column/\(strategy)", row) + " : memory", unit: "",
                bound: .atLeast, target: 0.5, measured: rate / memory.measured,
                controls: [memory], objection: objection(to: row, objects: fewestObjects),
                ceiling: mostOfControl)
        }
    }

    private static let opening = SpeedCheck { rows in
        guard let row = rows.row("open", "api"), let latency = row.latency else { return nil }
        let apart = ["first_open_us": "first open", "class_discovery_us": "class discovery"]
            .sorted { $0.value > $1.value }
            .compactMap { measure, name in
                row.measure(measure).map { Control(name: name, measured: $0) }
            }
        return Outcome(
            title: title("open/api", row), unit: "us", bound: .atMost, target: 1000,
            measured: latency.p50,
            controls: rows.control("bare-file", of: row, "open, mmap, close") { $0.latency?.p50 }
                + apart,
            objection: objection(
                to: row, objects: fewestObjects, operations: fewestOperations))
    }

    private static let fileSize = SpeedCheck { rows in
        guard let row = rows.row("insert", "api"),
            let bytes = row.measure("file_bytes_per_object")
        else { return nil }
        return Outcome(
            title: title("file of insert/api", row), unit: "bytes/object", bound: .atMost,
            target: 16, measured: bytes,
            controls: row.measure("payload_bytes_per_object").map {
                [Control(name: "payload", measured: $0)]
            } ?? [], objection: objection(to: row, objects: fewestObjects, isTimed: false))
    }

    /// The memory of an insert of ten million objects, which only the suite `full` has.
    private static let insertMemory = SpeedCheck { rows in
        guard let row = rows.row("insert", "api", atLeast: 10_000_000),
            let peak = row.peakResidentBytes
        else { return nil }
        return Outcome(
            title: title("memory of insert/api", row), unit: "MB", bound: .atMost, target: 500,
            measured: Double(peak) / 1e6,
            controls: row.measure("payload_bytes_per_object").map {
                [Control(name: "payload", measured: $0 * Double(row.identifier.size) / 1e6)]
            } ?? [])
    }

    static func title(_ name: String, _ row: CaseResult) -> String {
        "\(name), \(Display.grouped(row.identifier.size))"
    }
}
