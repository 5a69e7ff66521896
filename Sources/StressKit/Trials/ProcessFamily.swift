import Foundation
import Glibc

/// A process and all its descendants, as `/proc` lists them at one moment.
struct ProcessFamily {
    /// Processor time used by all of them and by their children that have ended.
    private(set) var processorSeconds = 0.0
    /// Whether a thread of one of them runs, or waits for a processor or a disk.
    private(set) var wantsProcessor = false

    private struct Entry {
        var parent: Int32
        var ticks: UInt64
    }

    init(of root: Int32) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var entries: [Int32: Entry] = [:]
        for name in names {
            if let process = Int32(name) { entries[process] = Self.entry(of: process) }
        }
        let perSecond = Double(sysconf(Int32(_SC_CLK_TCK)))
        for (process, entry) in entries
        where Self.leads(from: process, to: root, entries) {
            processorSeconds += Double(entry.ticks) / perSecond
            wantsProcessor = wantsProcessor || Self.hasBusyThread(process)
        }
    }

    private static func leads(
        from process: Int32, to root: Int32, _ entries: [Int32: Entry]
    ) -> Bool {
        var process = process
        // Bounded, because parents may end and process numbers may be reused during the walk.
        for _ in 0..<64 {
            if process == root { return true }
            guard let entry = entries[process] else { return false }
            process = entry.parent
        }
        return false
    }

    /// Reads an entry.
    private static func entry(of process: Int32) -> Entry? {
        guard let fields = status(at: "/proc/\(process)"), fields.count > 14,
            let parent = Int32(fields[1])
        else { return nil }
        // User and system time of the process, then of its children that were waited for.
        let ticks = fields[11...14].compactMap { UInt64($0) }.reduce(0, +)
        return Entry(parent: parent, ticks: ticks)
    }

    /// The status of a process is that of its first thread, which may sleep while others wait for a
    /// processor: for long, if other work is preferred to them.
    private static func hasBusyThread(_ process: Int32) -> Bool {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.contains { thread in
            guard let state = status(at: "\(folder)/\(thread)")?.first else { return false }
            return state == "R" || state == "D"
        }
    }

    /// Reads the fields of `stat` in a folder of a process or thread, from the state on; see
    /// proc(5). They are counted from the last parenthesis, because the name may contain anything.
    private static func status(at folder: String) -> [Substring]? {
        guard let text = try? String(contentsOfFile: folder + "/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
