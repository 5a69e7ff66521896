import Foundation
import RealmSwift
import StressModel

// Projections for the tests of change notifications, and mirrors of their collections.

/// A view of a track.
class TrackView: Projection<Track> {
    @Projected(\Track.title) var name
    @Projected(\Track.rank) var position
    @Projected(\Track.label?.text) var labelText
    @Projected(\Track.next?.title) var following
    @Projected(\Track.others.projectTo.title) var otherTitles: ProjectedCollection<String>
    @Projected(\Track.tags) var tags
}

/// Two views of one property.
class LoudTrackView: Projection<Track> {
    @Projected(\Track.title) var name
    @Projected(\Track.title.localizedUppercase) var loudName
}

extension Recorded {
    init<Element>(projected change: RealmCollectionChange<ProjectedCollection<Element>>) {
        switch change {
        case .initial(let collection): self = .initial(collection.count)
        case .update(_, let deletions, let insertions, let modifications):
            self = .update(
                deletions: deletions, insertions: insertions, modifications: modifications)
        case .error: self = .failed
        }
    }
}

extension ObservationScene {
    func record<View: ProjectionObservable>(
        _ view: View, keyPaths: [String]? = nil
    ) -> ChangeRecording<RecordedObject> {
        let recording = ChangeRecording<RecordedObject>(self)
        let log = recording.log
        recording.token = view.observe(keyPaths: keyPaths) { log.append(RecordedObject($0)) }
        return recording
    }

    func record<Element: RealmCollectionValue>(
        projected collection: ProjectedCollection<Element>, keyPaths: [String]? = nil
    ) throws -> ChangeRecording<Recorded> {
        let recording = ChangeRecording<Recorded>(self)
        let log = recording.log
        recording.token = collection.observe(keyPaths: keyPaths) {
            log.append(Recorded(projected: $0))
        }
        try pump { log.count > 0 }
        log.removeAll()
        return recording
    }

    func record(
        dynamic object: DynamicObject, keyPaths: [String]? = nil
    ) -> ChangeRecording<RecordedObject> {
        let recording = ChangeRecording<RecordedObject>(self)
        let log = recording.log
        let handler = { (change: ObjectChange<DynamicObject>) in
            log.append(RecordedObject(change))
        }
        recording.token = object.observe(keyPaths: keyPaths, handler)
        return recording
    }
}

/// A copy of a projected collection, kept from change sets alone.
final class ProjectedMirror<Element: RealmCollectionValue>: ContentsMirror {
    private let collection: ProjectedCollection<Element>
    private var values: [String] = []
    private var hasContents = false

    init(_ name: String, _ collection: ProjectedCollection<Element>) {
        self.collection = collection
        super.init(name)
        token = collection.observe { [unowned self] in self.handle($0) }
    }

    private func handle(_ change: RealmCollectionChange<ProjectedCollection<Element>>) {
        switch change {
        case .initial(let collection):
            if hasContents { fail("initial contents twice") }
            hasContents = true
            values = collection.map { "\($0)" }
        case .update(let collection, let deletions, let insertions, let modifications):
            let positions = ChangedPositions(
                deletions: deletions, insertions: insertions, modifications: modifications)
            apply(positions, collection.map { "\($0)" })
        case .error(let error): fail("\(error)")
        }
    }

    private func apply(_ positions: ChangedPositions, _ new: [String]) {
        if !hasContents { return fail("no initial contents") }
        if let fault = positions.fault(oldCount: values.count, newCount: new.count) {
            return fail("a change \(fault): \(positions)")
        }
        var slots = values.map { Optional($0) }
        for index in positions.modifications { slots[index] = nil }
        for index in positions.deletions.reversed() { slots.remove(at: index) }
        for index in positions.insertions { slots.insert(nil, at: index) }
        let next = slots.indices.map { slots[$0] ?? new[$0] }
        if next != new { fail("from \(values) by \(positions) came \(next), not \(new)") }
        values = next
    }

    override func checkSettled() {
        let now = collection.map { "\($0)" }
        if values != now { fail("a change is missing: \(values) is not \(now)") }
    }
}
