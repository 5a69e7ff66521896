extension MutableNode {
    /// Sets the value of an integer column. The row is not null afterwards.
    @inline(__always)
    func setInteger(_ c: Int, _ row: Int, to value: Int64) -> Bool {
        setPacked(c, row, to: value, whole: false)
    }

    /// Sets the value of a double column, preserving every bit. The row is not null afterwards.
    func setDouble(_ c: Int, _ row: Int, to value: Double) -> Bool {
        let image = PackedNumbers.image(value)
        return setFloating(c, row, whole: PackedNumbers.whole(value), image: image)
    }

    /// Sets the value of a float column, preserving every bit. The row is not null afterwards.
    func setFloat(_ c: Int, _ row: Int, to value: Float) -> Bool {
        let image = PackedNumbers.image(value)
        return setFloating(c, row, whole: PackedNumbers.whole(Double(value)), image: image)
    }

    /// Sets a floating-point number. Whole numbers are stored as integers while the column holds
    /// nothing else. A column of one row chooses its encoding anew.
    @inline(__always)
    func setFloating(_ c: Int, _ row: Int, whole: Int64?, image: Int64) -> Bool {
        let isWhole = entry(c).isWhole
        if let whole, isWhole || rowCount == 1 {
            if isWhole { return setPacked(c, row, to: whole, whole: true) }
            return encode(c, row, value: whole, whole: true)
        }
        if isWhole { return encode(c, row, value: image, whole: false) }
        return setPacked(c, row, to: image, whole: false)
    }

    @inline(__always)
    func setPacked(_ c: Int, _ row: Int, to value: Int64, whole: Bool) -> Bool {
        let e = entry(c)
        let width = e.width
        let delta = UInt64(bitPattern: value &- e.base)
        // The masking shift is safe because the width is below 64 here.
        guard width == 64 || (value >= e.base && delta &>> UInt64(truncatingIfNeeded: width) == 0),
            width > 0 || !e.isRamp
        else { return encode(c, row, value: value, whole: whole) }
        PackedNumbers.store(base + e.dataOffset, row, width: width, delta: delta)
        clearNull(e, row)
        return true
    }

    /// Adds to a value of an integer column that is not null. Returns false, with nothing changed,
    /// if the sum needs another layout.
    @inline(__always)
    func add(_ difference: Int, to c: Int, at row: Int) -> Bool {
        let e = entry(c)
        let data = base + e.dataOffset
        switch e.width {
        case 8: return add(difference, to: data, at: row, as: UInt8.self)
        case 16: return add(difference, to: data, at: row, as: UInt16.self)
        case 32: return add(difference, to: data, at: row, as: UInt32.self)
        default: return false
        }
    }

    @inline(__always)
    private func add<Delta: FixedWidthInteger & BitwiseCopyable>(
        _ difference: Int, to data: UnsafeMutableRawPointer, at row: Int, as _: Delta.Type
    ) -> Bool {
        let place = data + row &* MemoryLayout<Delta>.size
        let sum = Int(place.loadUnaligned(as: Delta.self)) &+ difference
        guard let delta = Delta(exactly: sum) else { return false }
        place.storeBytes(of: delta, as: Delta.self)
        return true
    }

    @inline(__always)
    func clearNull(_ e: ColumnEntry, _ row: Int) {
        let nulls = e.nullOffset
        if nulls != 0 { PackedNumbers.store(base + nulls, row, width: 1, delta: 0) }
    }

    /// Stores a value that the column's encoding does not hold. The column gets a base, a width and
    /// an interpretation that suit all rows including this value. Nothing else changes if a ramp
    /// already gives the row this value, or if the value begins a ramp.
    @inline(never)
    func encode(_ c: Int, _ row: Int, value: Int64, whole: Bool) -> Bool {
        let e = entry(c)
        if e.isRamp {
            if value >= e.base, value == reading.packed(c, row) { return true }
        } else if beginsRamp(c, row, with: value) {
            e.isRamp = true
            return true
        }
        // The row's old value does not count: the encoding must suit the others and the new value.
        let toImage = e.isWhole && !whole
        var bounds = reading.packedBounds(c, 0..<row)
        bounds.formUnion(reading.packedBounds(c, row + 1..<rowCount))
        if toImage { bounds.turnToImages(e.kind) }
        bounds.formUnion(value)
        let needed = PackedNumbers.width(low: bounds.low, high: bounds.high)
        if needed <= e.width {
            recode(c, except: row, base: e.width == 64 ? 0 : bounds.low, toImage: toImage)
            e.isWhole = whole
            e.isRamp = false
        } else {
            let draft = NodeDraft(revising: self)
            let d = draft.entry(c)
            d.width = needed
            d.base = needed == 64 ? 0 : bounds.low
            d.isWhole = whole
            d.isRamp = false
            guard draft.assignOffsets(rows: rowCount) else { return planted(.losesWidening) }
            draft.copyRows(from: reading, 0..<rowCount, at: 0)
            draft.install(in: self)
        }
        let delta = UInt64(bitPattern: value &- e.base)
        PackedNumbers.store(base + e.dataOffset, row, width: e.width, delta: delta)
        clearNull(e, row)
        return true
    }

    /// Whether a value makes a ramp of a column: it is one more than that of the only other row.
    private func beginsRamp(_ c: Int, _ row: Int, with value: Int64) -> Bool {
        let e = entry(c)
        return row == 1 && rowCount == 2 && e.width == 0 && e.kind == .integer
            && e.nullOffset == 0 && reading.mayHoldRamps && e.base < .max && value == e.base + 1
    }

    /// Gives ramps a packed value for each row, and the node room for `rows` rows. Writes out all
    /// ramps, or the one in `column`. Returns false, with nothing changed, if that does not fit.
    func writeOutRamps(rows: Int, column: Int = -1) -> Bool {
        let columns = column < 0 ? 0..<columnCount : column..<column + 1
        guard columns.contains(where: { entry($0).isRamp }) else { return true }
        let draft = NodeDraft(revising: self)
        for c in columns where entry(c).isRamp {
            let d = draft.entry(c)
            d.isRamp = false
            d.width = PackedNumbers.width(low: 0, high: Int64(max(rowCount - 1, 0)))
        }
        guard draft.assignOffsets(rows: rows) else { return false }
        draft.copyRows(from: reading, 0..<rowCount, at: 0)
        draft.install(in: self)
        return true
    }

    /// Gives a column another base in place. Its width holds all deltas from the new base.
    private func recode(_ c: Int, except row: Int, base newBase: Int64, toImage: Bool) {
        let e = entry(c)
        let data = base + e.dataOffset
        let width = e.width
        let kind = e.kind
        for i in 0..<rowCount where i != row && !reading.isNull(c, i) {
            var value = reading.packed(c, i)
            if toImage { value = PackedNumbers.image(whole: value, kind: kind) }
            PackedNumbers.store(data, i, width: width, delta: UInt64(bitPattern: value &- newBase))
        }
        e.base = newBase
    }

    /// Makes a value null or not null. A ramp is written out first, because a column with nulls is
    /// no ramp.
    ///
    /// A value that stops being null holds what a placeholder row holds and must be set next.
    /// Setting a value makes it non-null by itself.
    func setNull(_ c: Int, _ row: Int, to isNull: Bool) -> Bool {
        if isNull, entry(c).nullOffset == 0 {
            guard writeOutRamps(rows: rowCount, column: c) else { return false }
            guard layOut(rows: rowCount, nullColumn: c) else { return false }
        }
        let e = entry(c)
        guard isNull else {
            clearNull(e, row)
            return true
        }
        switch e.kind {
        case .integer, .float, .double:
            PackedNumbers.store(base + e.dataOffset, row, width: e.width, delta: 0)
        case .bytes:
            _ = setBytes(
                c, row, to: UnsafeRawBufferPointer(start: nil, count: 0), isOverflow: false)
        case .fixed16, .fixed12:
            let byteCount = e.width / 8
            (base + e.dataOffset + row * byteCount).initializeMemory(
                as: UInt8.self, repeating: 0, count: byteCount)
        }
        PackedNumbers.store(base + e.nullOffset, row, width: 1, delta: 1)
        return true
    }
}
