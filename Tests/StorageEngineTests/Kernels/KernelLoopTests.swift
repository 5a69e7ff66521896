import CColumnKernels
import Testing
import ToolSupport

@testable import StorageEngine

/// The loops themselves, at each level that this processor supports, compared with loops over
/// arrays. The memory after the columns is not accessible.
@Suite struct KernelLoopTests {
    private static let widths = [1, 2, 4, 8, 16, 32, 64]
    private static let lengths = [
        1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 191, 192, 193, 300, 1000,
    ]

    /// A column with a bitmap, a selection and a mask, each at the end of its memory.
    private struct Setting {
        let model: PackedColumnModel
        let selection: [Bool]?
        /// The memory of data, null bitmap, selection and mask.
        private let memory: [GuardedMemory]
        let column: realm_packed_column
        let selectionWords: UnsafePointer<UInt64>?
        let mask: UnsafeMutablePointer<UInt64>

        init(_ model: PackedColumnModel, _ selection: [Bool]?) {
            let memory = [8192, 4096, 4096, 4096].map { GuardedMemory(byteCount: $0) }
            func words(_ bytes: [UInt8], in memory: GuardedMemory) -> UnsafeMutablePointer<UInt64> {
                memory.place(bytes).assumingMemoryBound(to: UInt64.self)
            }
            let nulls = model.nulls.map {
                UnsafePointer(words(PackedColumnModel.words($0, behind: true), in: memory[1]))
            }
            self.model = model
            self.selection = selection
            self.memory = memory
            column = realm_packed_column(
                data: memory[0].place(model.bytes), nulls: nulls, rows: model.rows,
                width: UInt32(model.width))
            selectionWords = selection.map {
                UnsafePointer(words(PackedColumnModel.words($0, behind: false), in: memory[2]))
            }
            let unset = [UInt8](repeating: 0xAA, count: (model.rows + 63) / 64 * 8)
            mask = words(unset, in: memory[3])
        }
    }

    private func forEachSetting(
        seed: UInt64, _ body: (Setting, realm_column_kernels, inout SeededGenerator) -> Void
    ) {
        var random = SeededGenerator(seed: seed)
        for width in Self.widths {
            for rows in Self.lengths {
                for nullsOneIn in [nil, 1, 2, 7] {
                    let model = PackedColumnModel(
                        width: width, rows: rows, nullsOneIn: nullsOneIn, random: &random)
                    let selection =
                        random.next(below: 3) == 0
                        ? nil : (0..<rows).map { _ in random.next(below: 3) > 0 }
                    let setting = Setting(model, selection)
                    for level in ColumnKernels.available {
                        body(setting, level.table.pointee, &random)
                    }
                }
            }
        }
    }

    @Test func theBaselineIsALevelAndTheBestIsAnother() {
        #expect(ColumnKernels.available.first?.name == "baseline")
        #expect(ColumnKernels.best.name == ColumnKernels.available.last?.name)
        #expect(Set(ColumnKernels.available.map(\.name)).count == ColumnKernels.available.count)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func rangesMatchWhatALoopMatches(seed: UInt64) {
        forEachSetting(seed: seed) { setting, kernels, random in
            let model = setting.model
            let largest = model.width == 64 ? UInt64.max : (1 << UInt64(model.width)) - 1
            let low = random.next() & largest
            // Narrow deltas never wrap around; 64-bit ones do.
            let room = model.width == 64 ? UInt64.max : largest - low
            let spans = [0, room, room / 2, random.next() % (room == .max ? room : room + 1)]
            let range = realm_delta_range(
                low: low, span: spans[random.next(below: 4)], inverted: random.next(below: 2) == 0)
            let expected = (0..<model.rows).filter {
                model.isPresent($0, nil)
                    && (model.deltas[$0] &- low <= range.span) != range.inverted
            }
            let count = kernels.match(setting.column, range, setting.mask)
            #expect(members(setting.mask, rows: model.rows) == expected)
            #expect(count == expected.count)
            #expect(kernels.count(setting.column, range) == expected.count)
        }
    }

    @Test(arguments: 4...5 as ClosedRange<UInt64>)
    func sumsAreExact(seed: UInt64) {
        forEachSetting(seed: seed) { setting, kernels, _ in
            let model = setting.model
            let rows = (0..<model.rows).filter { model.isPresent($0, setting.selection) }
            let expected = rows.reduce(Int128(0)) { sum, row in
                let delta = model.deltas[row]
                return sum
                    + (model.width == 64 ? Int128(Int64(bitPattern: delta)) : Int128(delta))
            }
            let sum = kernels.sum(setting.column, setting.selectionWords)
            #expect(Int128(sum.low) + Int128(sum.high) << 32 == expected)
            #expect(sum.count == rows.count)
        }
    }

    /// Lanes that hold sums must be emptied before they overflow.
    @Test(arguments: widths) func longColumnsOfTheGreatestDeltasAreSummedExactly(width: Int) {
        let rows = width <= 8 ? 100_000 : 3_000_000
        let largest = width == 64 ? UInt64(Int64.max) : (1 << UInt64(width)) - 1
        let byteCount = (rows * width + 63) / 64 * 8
        let data = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
        defer { data.deallocate() }
        if width == 64 {
            data.initializeMemory(as: UInt64.self, repeating: largest, count: rows)
        } else {
            data.initializeMemory(as: UInt8.self, repeating: 0xFF, count: byteCount)
        }
        let column = realm_packed_column(data: data, nulls: nil, rows: rows, width: UInt32(width))
        for level in ColumnKernels.available {
            let sum = level.table.pointee.sum(column, nil)
            let total = Int128(sum.low) + Int128(sum.high) << 32
            #expect(total == Int128(largest) * Int128(rows), "\(level.name)")
        }
    }

    @Test(arguments: 6...7 as ClosedRange<UInt64>)
    func boundsAreThoseOfTheSelectedRows(seed: UInt64) {
        forEachSetting(seed: seed) { setting, kernels, _ in
            let model = setting.model
            let flipped = model.width == 64 ? UInt64(1) << 63 : 0
            let deltas = (0..<model.rows).filter { model.isPresent($0, setting.selection) }
                .map { model.deltas[$0] ^ flipped }
            let bounds = kernels.bounds(setting.column, setting.selectionWords)
            if let low = deltas.min(), let high = deltas.max() {
                #expect(bounds.low == low && bounds.high == high)
            } else {
                #expect(bounds.low > bounds.high)
            }
        }
    }

    @Test func bitsAreCounted() {
        var random = SeededGenerator(seed: 8)
        for count in [0, 1, 2, 17, 128] {
            let words = (0..<count).map { _ in random.next() }
            for level in ColumnKernels.available {
                #expect(
                    level.table.pointee.count_bits(words, count)
                        == words.reduce(0) { $0 + $1.nonzeroBitCount })
            }
        }
    }
}
