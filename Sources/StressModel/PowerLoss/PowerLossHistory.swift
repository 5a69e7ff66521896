import StorageEngine

/// What a file went through, as far as a loss of power can tell.
package struct PowerLossHistory {
    /// A state between two system calls.
    package struct Moment {
        /// What the newest sync vouches for.
        package var durable: [UInt8]
        /// Calls since: each piece that they wrote may be on disk or not.
        package var pending: [SystemTraceEvent]
        /// The newest step whose commit had returned.
        package var acknowledged: Int
        /// Where header, marker and commit records end and pages begin.
        package let headBytes: Int

        package init(
            durable: [UInt8], pending: [SystemTraceEvent], acknowledged: Int, headBytes: Int
        ) {
            self.durable = durable
            self.pending = pending
            self.acknowledged = acknowledged
            self.headBytes = headBytes
        }

        /// Makes durable what was done at these places of the trace. What was written while the sync was
        /// under way may have reached the disk or not; what an earlier one failed to write as well.
        fileprivate mutating func sync(_ places: Range<Int>) {
            let covered = pending.filter { places.contains($0.position) }
            pending.removeAll { places.contains($0.position) }
            for event in covered {
                event.apply(to: &durable)
                guard case .write(let offset, let bytes) = event.change else { continue }
                let range = Int(offset)..<Int(offset) + bytes.count
                pending = pending.flatMap { other in
                    other.position < event.position ? other.outside(range) : [other]
                }
            }
        }

        /// The file as the page cache has it.
        package var present: [UInt8] {
            var image = durable
            for event in pending { event.apply(to: &image) }
            return image
        }
    }

    /// A sync that failed was reported at this place of the trace: no sync makes durable what was
    /// written before.
    private var failurePosition = -1

    package private(set) var moments: [Moment]
    package private(set) var eventCount = 0

    package init(
        durable: [UInt8], pending: [SystemTraceEvent], acknowledged: Int, headBytes: Int
    ) {
        // Those of another trace are older than all that follows.
        let pending = pending.map { event in
            var event = event
            event.position = -1
            return event
        }
        moments = [
            Moment(
                durable: durable, pending: pending, acknowledged: acknowledged,
                headBytes: headBytes)
        ]
    }

    package mutating func add(_ event: SystemTraceEvent) {
        eventCount += 1
        var moment = moments.last!
        switch event.change {
        case .sync: moment.sync(failurePosition..<max(failurePosition, event.begun))
        case .failedSync: failurePosition = event.position
        default: moment.pending.append(event)
        }
        moments.append(moment)
    }

    package mutating func acknowledge(_ step: Int) {
        var moment = moments.last!
        moment.acknowledged = step
        moments.append(moment)
    }

    /// Those before a sync or the return of a commit: their images include those of the moments
    /// before.
    package var decisiveMoments: [Moment] {
        moments.indices.filter { index in
            guard index + 1 < moments.count else { return true }
            let (moment, next) = (moments[index], moments[index + 1])
            return next.pending.count <= moment.pending.count
        }.map { moments[$0] }
    }

    /// The file as the page cache has it.
    package var present: [UInt8] { moments.last!.present }
}
