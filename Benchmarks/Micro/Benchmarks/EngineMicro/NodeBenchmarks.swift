import Benchmark
@_spi(Benchmarks) import StorageEngine

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
            blackHole(EngineParts.checksum(UnsafeRawBufferPointer(page), seed: UInt64(seed)))
        }
        benchmark.stopMeasurement()
    }

    measure("append-integers-to-a-leaf-until-it-is-full", counted: [Counted.milliBytesPerRow]) {
        benchmark in
        withLeaf([.integer, .integer]) { leaf in
            benchmark.startMeasurement()
            var rows = 0
            while leaf.insertPlaceholderRow(at: rows) {
                guard leaf.setInteger(0, rows, to: Int64(rows)),
                    leaf.setInteger(1, rows, to: Int64(rows % 100))
                else { break }
                rows += 1
            }
            benchmark.stopMeasurement()
            benchmark.measurement(Counted.milliBytesPerRow, pageSize * 1000 / rows)
        }
    }

    measure("search-an-integer-in-a-leaf-1000-times", counted: [Counted.bytesUsed]) { benchmark in
        withLeaf([.integer]) { leaf in
            fill(leaf, rows: 500) { Int64($0) * 3 }
            benchmark.startMeasurement()
            for key in 0..<repetitions {
                blackHole(leaf.lowerBound(0, Int64(key) * 3 / 2, in: 0..<500))
            }
            benchmark.stopMeasurement()
            benchmark.measurement(Counted.bytesUsed, leaf.usedBytes)
        }
    }

    measure("search-bytes-in-a-leaf-1000-times", counted: [Counted.bytesUsed]) { benchmark in
        withLeaf([.bytes]) { leaf in
            let rows = 200
            for row in 0..<rows {
                var name = "name \(1000 + row)"
                let isSet = name.withUTF8 {
                    leaf.insertPlaceholderRow(at: row)
                        && leaf.setBytes(0, row, to: UnsafeRawBufferPointer($0))
                }
                precondition(isSet, "Two hundred names fit a page.")
            }
            var wanted = "name 1123"
            wanted.withUTF8 { key in
                benchmark.startMeasurement()
                for _ in 0..<repetitions {
                    blackHole(leaf.lowerBound(0, UnsafeRawBufferPointer(key), in: 0..<rows))
                }
                benchmark.stopMeasurement()
            }
            benchmark.measurement(Counted.bytesUsed, leaf.usedBytes)
        }
    }

    for width in [1, 2, 4, 8, 16, 32] {
        measure("read-100-integers-of-\(width)-bits-100-times", counted: [Counted.bytesUsed]) {
            benchmark in
            withLeaf([.integer]) { leaf in
                let largest = (Int64(1) << Int64(width)) - 1
                fill(leaf, rows: 100) { $0 % 2 == 0 ? 0 : largest }
                let reading = leaf.reading
                precondition(leaf.width(0) == width, "packed in another width")
                var sum: Int64 = 0
                benchmark.startMeasurement()
                for _ in 0..<100 {
                    for row in 0..<100 { sum &+= reading.integer(0, row) }
                }
                benchmark.stopMeasurement()
                blackHole(sum)
                benchmark.measurement(Counted.bytesUsed, leaf.usedBytes)
            }
        }
    }

    /// Runs `body` with an empty leaf.
    func withLeaf(_ columns: [ColumnKind], _ body: (EngineParts.Leaf) -> Void) {
        let page = UnsafeMutableRawPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { page.deallocate() }
        body(EngineParts.Leaf(page, byteCount: pageSize, columns: columns))
    }

    func fill(_ leaf: EngineParts.Leaf, rows: Int, _ value: (Int) -> Int64) {
        for row in 0..<rows {
            let isSet =
                leaf.insertPlaceholderRow(at: row) && leaf.setInteger(0, row, to: value(row))
            precondition(isSet, "The rows fit a page.")
        }
    }
}
