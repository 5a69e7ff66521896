import StorageEngine

extension PowerLossHistory.Moment {
    /// Disks write sectors of 512 bytes whole. A torn page fails its checksum just like a missing
    /// one, so pages are torn only in samples, unless a caller asks for it. Everything before the
    /// first page is always split into sectors.
    private static let sector = 512
    private static let page = 4096

    /// Returns the pending changes in pieces, each of which may be on the disk or not. Pieces that
    /// change nothing are left out.
    package func pieces(pageParts: Int = 1) -> [SystemTraceEvent] {
        var pieces: [SystemTraceEvent] = []
        for event in pending {
            guard case .write(let offset, let bytes) = event.change else {
                pieces.append(event)
                continue
            }
            let size = offset < headBytes ? Self.sector : Self.page / pageParts
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

    /// Returns the file that is found after the power loss.
    package func image(_ choice: PowerLossChoice) -> [UInt8] {
        switch choice {
        case .nothing: return durable
        case .everything: return image(pieces()) { _ in true }
        case .allBut(let missing): return image(pieces()) { $0 != missing }
        case .only(let present): return image(pieces()) { $0 == present }
        case .subset(let chosen, let pageParts):
            return image(pieces(pageParts: pageParts)) { $0 < 64 && chosen & 1 << $0 != 0 }
        case .sample(let seed):
            var random = RepeatableRandom(seed: seed)
            let pieces = pieces(pageParts: [1, 8][random.below(2)])
            let missing = [1, 10, 50, 90][random.below(4)]
            let isOnDisk = pieces.map { _ in random.below(100) >= missing }
            return image(pieces) { isOnDisk[$0] }
        }
    }

    private func image(_ pieces: [SystemTraceEvent], where isOnDisk: (Int) -> Bool) -> [UInt8] {
        var image = durable
        for index in pieces.indices where isOnDisk(index) { pieces[index].apply(to: &image) }
        return image
    }

    /// Returns all subsets if there are few pieces. Otherwise returns none, all, all but the first
    /// or the last, only the last, and samples.
    package func choices(
        exhaustivePieces: Int, samples: Int, _ random: inout some RandomNumberGenerator
    ) -> [PowerLossChoice] {
        let count = pieces().count
        if count <= exhaustivePieces { return subsets(pageParts: 1) }
        let ends: [PowerLossChoice] = [
            .nothing, .everything, .allBut(0), .allBut(count - 1), .only(count - 1),
        ]
        return ends + (0..<samples).map { _ in .sample(seed: random.next() >> 16) }
    }

    /// Returns every subset of the pieces, of which there must be fewer than 24.
    package func subsets(pageParts: Int) -> [PowerLossChoice] {
        let count = pieces(pageParts: pageParts).count
        precondition(count < 24, "too many subsets to try")
        return (0..<UInt64(1) << UInt64(count)).map { .subset($0, pageParts: pageParts) }
    }
}
