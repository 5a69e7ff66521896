import Glibc

/// What a commit changed in its runs, as bytes of its record (`docs/design.md`, "Records that carry
/// changes").
///
/// Each run is compared with its *base*: the run that it was copied from, as it was before the
/// commit; a run without one is compared with zeros. The changes of a run are stretches of bytes
/// that the base has as well, at the same place or a little further on, each with the bytes that
/// follow it in the run and not in the base. Applied to the base they make the run again, but for
/// its seal, which is encoded as well and tells whether they did.
///
///     run       := gap pages base seal stretch*
///     gap       := pages since the end of the run before
///     base      := 0 | page age              age: versions from its birth to that of the record
///     seal      := its first word; in an encrypted file all of it
///     stretch   := kept<<1|moved [distance] added byte*
///
/// All numbers are of variable length, but for the seal. `distance` says how much further on in the
/// base the kept bytes lie; it holds until another one is given.
enum PageChanges {
    /// Commits with more bytes of runs than this are not compared. So recovery needs little memory
    /// for all records between two syncs.
    static let largestRuns = 128 << 10

    /// How much further on in the base bytes may lie: where values of these widths were put into an
    /// array, or taken out of it.
    private static let distances = [-1, -2, -4, -8, -12, -16, 1, 2, 4, 8, 12, 16]

    /// Appends the stretches of a run. Returns false where more than `limit` bytes would be needed;
    /// `bytes` are undefined then.
    static func append(
        stretchesOf run: UnsafeRawBufferPointer, since base: UnsafeRawBufferPointer,
        to bytes: inout [UInt8], limit: Int
    ) -> Bool {
        let pair = RunAndBase(run: run, base: base)
        var place = PageHeader.sealSize
        var distance = 0
        var named = 0
        while place < run.count {
            let kept = pair.endOfEqual(from: place, distance) - place
            place += kept
            let start = place
            var next = distance
            while place < run.count {
                if let found = pair.distance(at: place, before: distance, among: distances) {
                    next = found
                    break
                }
                place += 1
                guard bytes.count + place - start <= limit else { return false }
            }
            VariableLengthInteger.append(
                UInt64(kept) << 1 | (distance == named ? 0 : 1), to: &bytes)
            if distance != named {
                VariableLengthInteger.append(signed: Int64(distance), to: &bytes)
            }
            VariableLengthInteger.append(UInt64(place - start), to: &bytes)
            bytes.append(contentsOf: run[start..<place])
            (named, distance) = (distance, next)
        }
        return bytes.count <= limit
    }

    /// Fills in a run, but for its seal, from stretches of untrusted bytes. Returns false where
    /// they lead outside of the run.
    static func apply(
        _ reader: inout VariableLengthIntegerReader, to base: UnsafeRawBufferPointer,
        making run: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var place = PageHeader.sealSize
        var distance = 0
        while place < run.count {
            guard let head = reader.next(), head >> 1 <= UInt64(run.count - place) else {
                return false
            }
            if head & 1 != 0 {
                guard let moved = reader.nextSigned(), abs(moved) < Int64(Int32.max) else {
                    return false
                }
                distance = Int(moved)
            }
            for _ in 0..<head >> 1 {
                let source = place + distance
                run[place] = base.indices.contains(source) ? base[source] : 0
                place += 1
            }
            guard let added = reader.next(), added <= UInt64(run.count - place),
                let bytes = reader.take(added)
            else { return false }
            // Neither kept nor added bytes: it would go on for ever.
            guard head >> 1 > 0 || added > 0 else { return false }
            UnsafeMutableRawBufferPointer(rebasing: run[place...]).copyBytes(from: bytes)
            place += Int(added)
        }
        return true
    }
}

/// A run beside its base.
private struct RunAndBase {
    let run: UnsafeRawBufferPointer
    let base: UnsafeRawBufferPointer
    private let width = MemoryLayout<UInt64>.size
    /// The number of bytes that are compared at once.
    private static let block = 256

    init(run: UnsafeRawBufferPointer, base: UnsafeRawBufferPointer) {
        self.run = run
        self.base = base
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }

    /// Returns the end of the bytes that the run and its base have in common from `start` on. What
    /// follows the base counts as zeros.
    func endOfEqual(from start: Int, _ distance: Int) -> Int {
        var place = start
        guard start + distance >= 0 else { return start }
        let end = min(run.count, base.count - distance)
        // Most of a run is as it was, which the C library sees many bytes at a time.
        while place + Self.block <= end,
            memcmp(
                run.baseAddress! + place, base.baseAddress! + place + distance, Self.block) == 0
        {
            place += Self.block
        }
        while place + width <= end, word(run, place) == word(base, place + distance) {
            place += width
        }
        while place < end {
            guard run[place] == base[place + distance] else { return place }
            place += 1
        }
        while place + width <= run.count, word(run, place) == 0 { place += width }
        while place < run.count, run[place] == 0 { place += 1 }
        return place
    }

    /// Returns the distance at which a word of the run is found in the base; nil if there is none.
    func distance(at place: Int, before last: Int, among distances: [Int]) -> Int? {
        guard place + width <= run.count else { return nil }
        let wanted = word(run, place)
        if isEqual(wanted, place, at: last) { return last }
        // Zeros are found everywhere.
        guard wanted != 0 else { return last != 0 && isEqual(0, place, at: 0) ? 0 : nil }
        for step in distances where isEqual(wanted, place, at: last + step) { return last + step }
        return last != 0 && isEqual(wanted, place, at: 0) ? 0 : nil
    }

    private func isEqual(_ wanted: UInt64, _ place: Int, at distance: Int) -> Bool {
        let source = place + distance
        if source < 0 { return false }
        guard source + width <= base.count else {
            return distance == 0 && source >= base.count && wanted == 0
        }
        return word(base, source) == wanted
    }
}
