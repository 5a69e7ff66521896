import Foundation
import RealmTool
import StorageEngine
import Synchronization

/// The files that the command line names. Nothing else can be read through the page.
final class FileList: Sendable {
    let files: [StudioFile]

    init(_ options: StudioOptions) throws {
        let key = try options.key()
        files = options.files.enumerated().map {
            StudioFile(number: $0, path: $1, key: key, isEditable: options.allowsChanges)
        }
    }

    subscript(number: Int) -> StudioFile? {
        files.indices.contains(number) ? files[number] : nil
    }
}

/// A file, and whether it could be opened.
final class StudioFile: Sendable {
    private enum State {
        case open(InspectedFile, FileEditor)
        case closed(InspectedFile.Problem)
    }

    let number: Int
    let path: String
    /// Whether the command line allows changes.
    private let isEditable: Bool
    /// The key that the command line names.
    private let key: [UInt8]?
    private let state: Mutex<State>

    /// - Parameter key: the key for the file if it is encrypted; nil if there is none.
    init(number: Int, path: String, key: [UInt8]?, isEditable: Bool) {
        self.number = number
        self.path = path
        self.isEditable = isEditable
        self.key = key
        state = Mutex(Self.opened(path, key, isEditable, EditLog()))
    }

    private static func opened(
        _ path: String, _ key: [UInt8]?, _ isEditable: Bool, _ log: EditLog
    ) -> State {
        do throws(InspectedFile.Problem) {
            let file: InspectedFile
            do throws(InspectedFile.Problem) {
                file = try InspectedFile(path: path, key: nil, isEditable: isEditable)
            } catch {
                guard error.needsKey, let key else { throw error }
                file = try InspectedFile(path: path, key: key, isEditable: isEditable)
            }
            return .open(file, FileEditor(file, log))
        } catch { return .closed(error) }
    }

    /// Opens the file that is at the path now. Blocks for a moment, until the streams of pages have
    /// let go of the former one, because two files cannot be open at one path.
    func open(key: [UInt8]?) {
        close(because: "is being opened")
        open(key: key, EditLog())
    }

    private func open(key: [UInt8]?, _ log: EditLog) {
        let opened = Self.opened(path, key ?? self.key, isEditable, log)
        state.withLock { $0 = opened }
    }

    /// Rewrites the file without free space, unless it is stopped. It is closed meanwhile.
    func compact(_ task: LongTask) throws -> FileCompaction {
        let isEncrypted = try inspected().isEncrypted
        try editor().requireEditable()
        guard !isEncrypted || key != nil else {
            throw InspectedFile.Problem(
                message: "Start the Studio with --key-file or --key-variable: the key that the "
                    + "page was given is not kept.", needsKey: false)
        }
        let log = try editor().log
        close(because: "is being compacted")
        // The objects are the same, under the same keys, so that edits can still be taken back.
        defer { open(key: nil, log) }
        return try FileCompaction.run(
            path: path, key: isEncrypted ? key : nil, until: task.stop, progress: task.tell)
    }

    /// Lets go of the file, and waits for a moment until the streams of pages have done so, too.
    private func close(because reason: String) {
        var former: Weak?
        state.withLock { state in
            if case .open(let file, _) = state { former = Weak(file: file) }
            state = .closed(.init(message: "'\(path)' \(reason).", needsKey: false))
        }
        for _ in 0..<Self.mostPauses where former?.file != nil {
            Thread.sleep(forTimeInterval: Self.pause)
        }
    }

    private struct Weak {
        weak var file: InspectedFile?
    }

    private static let pause = 0.05
    private static let mostPauses = 60

    /// Whether a file is the one that is open here.
    func isOpen(_ inspected: InspectedFile) -> Bool {
        if case .open(let file, _) = state.withLock({ $0 }) { file === inspected } else { false }
    }

    /// The file.
    ///
    /// - Throws: why it is not open.
    func inspected() throws(InspectedFile.Problem) -> InspectedFile {
        switch state.withLock({ $0 }) {
        case .open(let file, _): return file
        case .closed(let problem): throw problem
        }
    }

    /// What changes the file. It does so only if the command line allows it.
    ///
    /// - Throws: why the file is not open.
    func editor() throws(InspectedFile.Problem) -> FileEditor {
        switch state.withLock({ $0 }) {
        case .open(_, let editor): return editor
        case .closed(let problem): throw problem
        }
    }
}
