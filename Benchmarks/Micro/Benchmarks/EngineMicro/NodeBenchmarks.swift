import Benchmark
import StorageEngine

/// Registers the benchmarks of a page in memory: its checksum, columns and rows.
func nodeBenchmarks() {
    let pageSize = 4096
    let repetitions = 1000

    measure("checksum-of-a-page-1000-times") { benchmark in
        let page = UnsafeMutableRawBufferPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { page.deallocate() }
        for index in page.indices { page[index] = UInt8(truncatingIfNeeded: index &* 31) }
        benchmark.startMeasurement()
        for seed in 0..<repetitions {
            blackHole(Checksum.hash(UnsafeRawBufferPointer(page), seed: UInt64(seed)))
        }
        benchmark.stopMeasurement()
    }

    measure("append-integers-to-a-leaf-until-it-is-full", counted: [Counted.milliBytesPerRow]) {
        benchmark in
        withNode([.integer, .integer]) { node in
            benchmark.startMeasurement()
            var rows = 0
            while node.insertPlaceholderRow(at: rows) {
                guard node.setInteger(0, rows, Int64(rows)),
                    node.setInteger(1, rows, Int64(rows % 100))
                else { break }
                rows += 1
            }
            benchmark.stopMeasurement()
            benchmark.measurement(Counted.milliBytesPerRow, pageSize * 1000 / rows)
        }
    }

    measure("search-an-integer-in-a-leaf-1000-times", counted: [Counted.bytesUsed]) { benchmark in
        withNode([.integer]) { node in
            fill(node, rows: 500) { Int64($0) * 3 }
            let reading = node.reading
            benchmark.startMeasurement()
            for key in 0..<repetitions {
                blackHole(reading.lowerBound(0, Int64(key) * 3 / 2, in: 0..<500))
            }
            benchmark.stopMeasurement()
            benchmark.measurement(Counted.bytesUsed, node.usedBytes)
        }
    }

    measure("search-bytes-in-a-leaf-1000-times", counted: [Counted.bytesUsed]) { benchmark in
        withNode([.bytes]) { node in
            let rows = 200
            for row in 0..<rows {
                var name = "name \(1000 + row)"
                let isSet = name.withUTF8 {
                    node.insertPlaceholderRow(at: row)
                        && node.setBytes(0, row, UnsafeRawBufferPointer($0), isOverflow: false)
                }
                precondition(isSet, "Two hundred names fit a page.")
            }
            let reading = node.reading
            var wanted = "name 1123"
            wanted.withUTF8 { key in
                benchmark.startMeasurement()
                for _ in 0..<repetitions {
                    blackHole(
                        reading.lowerBoundBytes(0, UnsafeRawBufferPointer(key), in: 0..<rows))
                }
                benchmark.stopMeasurement()
            }
            benchmark.measurement(Counted.bytesUsed, node.usedBytes)
        }
    }

    for width in [1, 2, 4, 8, 16, 32] {
        measure("read-100-integers-of-\(width)-bits-100-times", counted: [Counted.bytesUsed]) {
            benchmark in
            withNode([.integer]) { node in
                let largest = (Int64(1) << Int64(width)) - 1
                fill(node, rows: 100) { $0 % 2 == 0 ? 0 : largest }
                let reading = node.reading
                precondition(reading.packedData(0).width == width, "packed in another width")
                var sum: Int64 = 0
                benchmark.startMeasurement()
                for _ in 0..<100 {
                    for row in 0..<100 { sum &+= reading.integer(0, row) }
                }
                benchmark.stopMeasurement()
                blackHole(sum)
                benchmark.measurement(Counted.bytesUsed, node.usedBytes)
            }
        }
    }

    /// Runs `body` with an empty leaf.
    func withNode(_ kinds: [ColumnKind], _ body: (MutableNode) -> Void) {
        let page = UnsafeMutableRawPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { page.deallocate() }
        let columns = kinds.enumerated().map {
            ColumnFormat(id: UInt16($0.offset + 1), kind: $0.element)
        }
        body(
            MutableNode.format(
                page, byteCount: pageSize, level: 0, treeID: 1, columns: columns, lowKey: 0))
    }

    func fill(_ node: MutableNode, rows: Int, _ value: (Int) -> Int64) {
        for row in 0..<rows {
            let isSet = node.insertPlaceholderRow(at: row) && node.setInteger(0, row, value(row))
            precondition(isSet, "The rows fit a page.")
        }
    }
}
