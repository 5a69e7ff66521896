import ToolSupport

/// Whether a signal asks the command to end.
enum Interrupted {
    static func check() throws(ToolError) {
        do { try Interruption.throwIfRequested() } catch {
            throw error as? ToolError ?? ToolError(.internalError, "\(error)")
        }
    }
}
