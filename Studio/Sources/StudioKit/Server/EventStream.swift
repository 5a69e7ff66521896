import Foundation
import NIOCore
import RealmTool

/// Tells a page of newer versions, as server-sent events, and keeps the version that it shows.
///
/// Nothing else pins a version between requests. When the connection ends, its version is let go.
///
/// | event | data |
/// | --- | --- |
/// | `version` | the version that is kept for the page now, and the bytes of the file |
/// | `newest` | the newest version, while the page keeps another one |
/// | `replaced` | another file is at the path, or none |
struct EventStream {
    private struct Version: Encodable {
        var version: UInt64
        var size: UInt64
    }

    private let file: InspectedFile
    private let place: StudioFile
    private let work: Work
    private let frozen: InspectedVersion?

    /// How often the newest version is looked at, which costs one load from memory.
    private static let interval = Duration.milliseconds(100)
    /// A page has this many intervals for its last requests of a version that it leaves.
    private static let intervalsOfGrace = 5
    /// After so many intervals without an event, a comment shows whether the page is still there.
    private static let intervalsOfSilence = 50

    /// - Parameter frozen: the version to keep; nil to keep the newest.
    init(_ file: InspectedFile, of place: StudioFile, _ work: Work, frozen: InspectedVersion?) {
        self.file = file
        self.place = place
        self.work = work
        self.frozen = frozen
    }

    /// Writes events until the task is cancelled, writing fails because the page has gone, or the
    /// file is opened anew.
    func run(_ write: (String) async throws -> Void) async throws {
        var kept: InspectedVersion
        if let frozen {
            kept = frozen
        } else {
            kept = try await work.quickly { [file] in try file.newest() }
        }
        try await write(event("version", kept.number))
        var former: InspectedVersion?
        var told = kept.number
        var isReplaced = false
        var silence = 0
        var age = 0
        while place.isOpen(file) {
            try await Task.sleep(for: Self.interval)
            silence += 1
            age += 1
            if age == Self.intervalsOfGrace { former = nil }
            if file.newestVersion > told {
                if frozen != nil {
                    told = file.newestVersion
                    try await write(event("newest", told))
                } else if former == nil {
                    former = kept
                    age = 0
                    kept = try await work.quickly { [file] in try file.newest() }
                    told = kept.number
                    try await write(event("version", told))
                }
                silence = 0
            }
            if silence % Self.intervalsOfSilence == 0, silence > 0 {
                try await write(": \n\n")
                if file.hasLeftItsPath, !isReplaced {
                    isReplaced = true
                    try await write(event("replaced", told))
                }
            }
        }
    }

    private func event(_ name: String, _ version: UInt64) throws -> String {
        let data = try JSONEncoder().encode(Version(version: version, size: file.size))
        return "event: \(name)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
    }
}
