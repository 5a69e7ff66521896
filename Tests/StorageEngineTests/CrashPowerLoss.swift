@testable import StorageEngine

/// What a file went through, as far as a loss of power can tell.
struct PowerLossHistory {
    /// A state between two system calls.
    struct Moment {
        /// What the newest sync vouches for.
        var durable: [UInt8]
        /// Calls since: each page that they wrote may be on disk or not.
        var pending: [SystemTraceEvent]
        /// The newest step whose commit had returned.
        var acknowledged: Int
    }

    private(set) var moments: [Moment]
    private(set) var eventCount = 0

    init(durable: [UInt8], pending: [SystemTraceEvent], acknowledged: Int) {
        moments = [Moment(durable: durable, pending: pending, acknowledged: acknowledged)]
    }

    mutating func add(_ event: SystemTraceEvent) {
        eventCount += 1
        var moment = moments.last!
        if event.change == .sync {
            moment.durable = present
            moment.pending = []
        } else {
            moment.pending.append(event)
        }
        moments.append(moment)
    }

    mutating func acknowledge(_ step: Int) {
        var moment = moments.last!
        moment.acknowledged = step
        moments.append(moment)
    }

    /// Those before a sync or the return of a commit: their images include those of the moments
    /// before.
    var decisiveMoments: [Moment] {
        moments.indices.filter { index in
            guard index + 1 < moments.count else { return true }
            let (moment, next) = (moments[index], moments[index + 1])
            return next.pending.count <= moment.pending.count
        }.map { moments[$0] }
    }

    /// The file as the page cache has it.
    var present: [UInt8] {
        var image = moments.last!.durable
        for event in moments.last!.pending { event.apply(to: &image) }
        return image
    }
}

extension PowerLossHistory.Moment {
    /// Disks write sectors of 512 bytes whole. A torn page is covered by its checksum like a
    /// missing one, so pages are torn in samples only; the blocks before the first page are always
    /// taken apart.
    private static let sector = 512
    private static let page = 4096
    private static let headBytes = FileHeader.blockCount * FileHeader.blockSize
    /// All subsets of this many pieces are tried, samples of more.
    private static let exhaustivePieces = LongTests.choose(12, otherwise: 8)
    private static let samples = LongTests.choose(1000, otherwise: 60)

    /// The pending changes in parts of which each may be on disk or not. Parts that change nothing
    /// are left out.
    func pieces(pageParts: Int = 1) -> [SystemTraceEvent] {
        var pieces: [SystemTraceEvent] = []
        for event in pending {
            guard case .write(let offset, let bytes) = event.change else {
                pieces.append(event)
                continue
            }
            let size = offset < Self.headBytes ? Self.sector : Self.page / pageParts
            for start in stride(from: 0, to: bytes.count, by: size) {
                let part = Array(bytes[start..<min(start + size, bytes.count)])
                let place = Int(offset) + start
                if place + part.count <= durable.count,
                    durable[place..<place + part.count].elementsEqual(part)
                {
                    continue
                }
                var piece = event
                piece.change = .write(offset: UInt64(place), bytes: part)
                pieces.append(piece)
            }
        }
        return pieces
    }

    private func image(_ pieces: [SystemTraceEvent], where isOnDisk: (Int) -> Bool) -> [UInt8] {
        var image = durable
        for index in pieces.indices where isOnDisk(index) { pieces[index].apply(to: &image) }
        return image
    }

    /// Images with the pieces they contain: all subsets of few pieces; of many: none, all, all but
    /// one of the last, and samples.
    func images(_ random: inout SeededRandom) -> [(choice: String, image: [UInt8])] {
        let pieces = pieces()
        if pieces.count <= Self.exhaustivePieces { return allSubsets(pageParts: 1) }
        var images = [
            ("none", durable), ("all", image(pieces) { _ in true }),
            ("all but the first", image(pieces) { $0 != 0 }),
            ("all but the last", image(pieces) { $0 != pieces.count - 1 }),
            ("only the last", image(pieces) { $0 == pieces.count - 1 }),
        ]
        for number in 0..<Self.samples {
            images.append(("sample \(number)", sample(&random)))
        }
        return images
    }

    func allSubsets(pageParts: Int) -> [(choice: String, image: [UInt8])] {
        let pieces = pieces(pageParts: pageParts)
        return (0..<1 << pieces.count).map { subset in
            ("\(subset) of \(pieces.count)", image(pieces) { subset & 1 << $0 != 0 })
        }
    }

    /// One image: any sectors, with a share of missing ones drawn first.
    func sample(_ random: inout SeededRandom) -> [UInt8] {
        let pieces = pieces(pageParts: [1, 8][random.next(below: 2)])
        let missing = [1, 10, 50, 90][random.next(below: 4)]
        let chosen = pieces.map { _ in random.next(below: 100) >= missing }
        return image(pieces) { chosen[$0] }
    }
}
