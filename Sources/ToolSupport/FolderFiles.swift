import Foundation
import Glibc

/// The files below a folder, such as those of one database.
package enum FolderFiles {
    /// Creates a folder and those above it that are missing.
    package static func make(_ folder: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw BenchmarkError(
                .internalError,
                "The folder '\(folder)' cannot be made: "
                    + "\(error.fileProblem)")
        }
    }

    package static func copy(_ folder: String, to target: String) throws {
        do { try FileManager.default.copyItem(atPath: folder, toPath: target) } catch {
            throw BenchmarkError(
                .internalError,
                "'\(folder)' cannot be copied to '\(target)': "
                    + "\(error.fileProblem)")
        }
    }

    package static func paths(below folder: String) throws -> [String] {
        guard let names = FileManager.default.enumerator(atPath: folder) else {
            throw BenchmarkError(.internalError, "The folder '\(folder)' cannot be read.")
        }
        return names.compactMap { $0 as? String }.map { "\(folder)/\($0)" }.filter {
            var status = stat()
            return lstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
    }

    /// Returns the bytes that the files occupy on the disk. A file with several names counts once,
    /// and files that vanish meanwhile do not count.
    package static func diskBytes(below folder: String) -> Int {
        let paths = (try? paths(below: folder)) ?? []
        var linked: Set<ino_t> = []
        return paths.reduce(0) { sum, path in
            var status = stat()
            guard lstat(path, &status) == 0,
                status.st_nlink == 1 || linked.insert(status.st_ino).inserted
            else { return sum }
            return sum + Int(status.st_blocks) * 512
        }
    }

    /// Writes all files to the disk, so that their write-back does not disturb later measurements.
    package static func sync(below folder: String) throws {
        for path in try paths(below: folder) {
            try withFile(path) { descriptor in
                if fsync(descriptor) != 0 { throw failure("fsync", path) }
            }
        }
    }

    /// Removes the files from the page cache.
    ///
    /// - Throws: if more than a hundredth of their pages stays resident, as for files in memory or
    ///   files that another process has mapped.
    package static func dropFromPageCache(below folder: String) throws {
        try sync(below: folder)
        var total = 0
        var kept = 0
        for path in try paths(below: folder) {
            try withFile(path) { descriptor in
                let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
                if code != 0 {
                    errno = code
                    throw failure("posix_fadvise", path)
                }
                let pages = try residentPages(descriptor, path)
                total += pages.total
                kept += pages.resident
            }
        }
        guard kept * 100 <= total else {
            throw BenchmarkError(
                .caseFailed,
                "The page cache still holds \(kept) of \(total) pages of '\(folder)'. A cold cache "
                    + "needs a file system on a disk: choose one with --path.")
        }
    }

    private static func residentPages(_ descriptor: Int32, _ path: String) throws
        -> (total: Int, resident: Int)
    {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("fstat", path) }
        let length = Int(status.st_size)
        guard length > 0 else { return (0, 0) }
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard let address = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor, 0),
            address != MAP_FAILED
        else { throw failure("mmap", path) }
        defer { munmap(address, length) }
        var residence = [UInt8](repeating: 0, count: (length + pageSize - 1) / pageSize)
        guard mincore(address, length, &residence) == 0 else { throw failure("mincore", path) }
        return (residence.count, residence.reduce(0) { $0 + Int($1 & 1) })
    }

    private static func withFile(_ path: String, _ body: (Int32) throws -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        try body(descriptor)
    }

    private static func failure(_ call: String, _ path: String) -> BenchmarkError {
        let code = errno
        return BenchmarkError(
            .internalError, "\(call) of '\(path)' failed: \(String(cString: strerror(code))).")
    }
}
