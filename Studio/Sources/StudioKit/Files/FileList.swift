import Foundation
import RealmTool
import Synchronization

/// The files that the command line names. Nothing else can be read through the page.
final class FileList: Sendable {
    let files: [StudioFile]

    init(_ options: StudioOptions) throws {
        let key = try options.key()
        files = options.files.enumerated().map { StudioFile(number: $0, path: $1, key: key) }
    }

    subscript(number: Int) -> StudioFile? {
        files.indices.contains(number) ? files[number] : nil
    }
}

/// A file, and whether it could be opened.
final class StudioFile: Sendable {
    private enum State {
        case open(InspectedFile)
        case closed(InspectedFile.Problem)
    }

    let number: Int
    let path: String
    private let state: Mutex<State>

    /// - Parameter key: the key for the file if it is encrypted; nil if there is none.
    init(number: Int, path: String, key: [UInt8]?) {
        self.number = number
        self.path = path
        state = Mutex(Self.opened(path, key))
    }

    private static func opened(_ path: String, _ key: [UInt8]?) -> State {
        do throws(InspectedFile.Problem) {
            return .open(try InspectedFile(path: path, key: nil))
        } catch {
            guard error.needsKey, let key else { return .closed(error) }
            do throws(InspectedFile.Problem) {
                return .open(try InspectedFile(path: path, key: key))
            } catch { return .closed(error) }
        }
    }

    /// Opens the file that is at the path now. Blocks for a moment, until the streams of pages have
    /// let go of the former one, because two files cannot be open at one path.
    func open(key: [UInt8]?) {
        var former: Weak?
        state.withLock { state in
            if case .open(let file) = state { former = Weak(file: file) }
            state = .closed(.init(message: "'\(path)' is being opened.", needsKey: false))
        }
        for _ in 0..<Self.mostPauses where former?.file != nil {
            Thread.sleep(forTimeInterval: Self.pause)
        }
        let opened = Self.opened(path, key)
        state.withLock { $0 = opened }
    }

    private struct Weak {
        weak var file: InspectedFile?
    }

    private static let pause = 0.05
    private static let mostPauses = 60

    /// Whether a file is the one that is open here.
    func isOpen(_ inspected: InspectedFile) -> Bool {
        if case .open(let file) = state.withLock({ $0 }) { file === inspected } else { false }
    }

    /// The file.
    ///
    /// - Throws: why it is not open.
    func inspected() throws(InspectedFile.Problem) -> InspectedFile {
        switch state.withLock({ $0 }) {
        case .open(let file): return file
        case .closed(let problem): throw problem
        }
    }
}
