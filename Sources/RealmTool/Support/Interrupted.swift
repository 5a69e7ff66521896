import StorageEngine
import ToolSupport

/// Whether a signal asks the command to end.
enum Interrupted {
    static func check() throws(ToolError) {
        do { try Interruption.throwIfRequested() } catch {
            throw error as? ToolError ?? ToolError(.internalError, "\(error)")
        }
    }

    /// The same for what the engine calls, which it ends by the error of `path`.
    static func check(_ path: String) throws(StorageError) {
        do { try check() } catch {
            throw StorageError(.interrupted, path: path, message: error.message)
        }
    }

    /// The exit code after the signal; nil if there was none.
    static var code: ToolError.Code? {
        do {
            try check()
            return nil
        } catch {
            return error.code
        }
    }
}
