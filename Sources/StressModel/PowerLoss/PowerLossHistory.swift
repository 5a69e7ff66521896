import StorageEngine

/// The states of a file, as far as they matter for a power loss.
package struct PowerLossHistory {
    /// A state between two system calls.
    package struct Moment {
        /// Contents that the syncs so far guarantee.
        package var durable: [UInt8]
        /// Calls since then. Each piece that they wrote may be on the disk or not.
        package var pending: [SystemTraceEvent]
        /// The newest step whose commit had returned.
        package var acknowledged: Int
        /// Offset at which the header, marker and commit records end and pages begin.
        package let headBytes: Int

        package init(
            durable: [UInt8], pending: [SystemTraceEvent], acknowledged: Int, headBytes: Int
        ) {
            self.durable = durable
            self.pending = pending
            self.acknowledged = acknowledged
            self.headBytes = headBytes
        }

        /// Makes the changes at these positions of the trace durable. Changes made while the sync
        /// was under way stay pending, and so do changes that an earlier sync failed to write.
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

        /// Adds a write that returned when it was on the disk. Before that it is pending, like any
        /// other: the caller adds it as such first.
        fileprivate mutating func syncLastWrite() {
            let event = pending.removeLast()
            guard case .write(let offset, let bytes) = event.change else { return }
            event.apply(to: &durable)
            let range = Int(offset)..<Int(offset) + bytes.count
            pending = pending.flatMap { $0.outside(range) }
        }

        /// The contents in the page cache.
        package var present: [UInt8] {
            var image = durable
            for event in pending { event.apply(to: &image) }
            return image
        }
    }

    /// Position in the trace at which a sync reported a failure. No later sync makes earlier
    /// changes durable.
    private var failurePosition = -1

    package private(set) var moments: [Moment]
    package private(set) var eventCount = 0

    package init(
        durable: [UInt8], pending: [SystemTraceEvent], acknowledged: Int, headBytes: Int
    ) {
        // Pending changes of another trace are older than all events of this one.
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
        case .writeSynced(let offset, let bytes):
            var write = event
            write.change = .write(offset: offset, bytes: bytes)
            moment.pending.append(write)
            // While it is under way, any of its sectors may be on the disk.
            moments.append(moment)
            moment.syncLastWrite()
        default: moment.pending.append(event)
        }
        moments.append(moment)
    }

    package mutating func acknowledge(_ step: Int) {
        var moment = moments.last!
        moment.acknowledged = step
        moments.append(moment)
    }

    /// Moments before a sync or the return of a commit. Their images include those of the moments
    /// before them.
    package var decisiveMoments: [Moment] {
        moments.indices.filter { index in
            guard index + 1 < moments.count else { return true }
            let (moment, next) = (moments[index], moments[index + 1])
            return next.pending.count <= moment.pending.count
        }.map { moments[$0] }
    }

    /// The contents in the page cache.
    package var present: [UInt8] { moments.last!.present }
}
