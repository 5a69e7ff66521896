import Foundation

/// The copy of a file with which an application begins.
enum SeedFile {
    /// Copies a file to a path, unless there is a file. The copy is complete, and on the disk, when
    /// it appears there.
    ///
    /// - Throws: ``Realm/Error`` if the file cannot be read, or the copy not be written.
    static func copy(_ seed: URL, to path: String) throws {
        let files = FileManager.default
        if files.fileExists(atPath: path) { return }
        let source = try Realm.path(of: seed)
        let destination = URL(fileURLWithPath: path)
        let copy = URL(fileURLWithPath: path + ".seed-\(UUID().uuidString)")
        do {
            try files.copyItem(at: URL(fileURLWithPath: source), to: copy)
            defer { try? files.removeItem(at: copy) }
            let file = try FileHandle(forUpdating: copy)
            try file.synchronize()
            try file.close()
            // Unlike a move, this leaves a file alone that another process has made meanwhile.
            do { try files.linkItem(at: copy, to: destination) } catch {
                if !files.fileExists(atPath: path) { throw error }
            }
        } catch {
            throw Realm.Error(
                files.fileExists(atPath: source) ? .fileOperationFailed : .fileNotFound,
                path: source,
                message: "Failed to copy the seed file at path '\(source)' to '\(path)': "
                    + error.localizedDescription)
        }
    }
}
