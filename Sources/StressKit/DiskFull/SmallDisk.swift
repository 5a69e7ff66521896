import BenchmarkKit
import Foundation
import Glibc

/// A real file system of a certain size, mounted as long as this lives, and seen by this process
/// and its children only.
final class SmallDisk {
    enum Kind: String, CaseIterable {
        case tmpfs, ext4
    }

    let path: String
    private let image: String
    private let ballast: String

    /// Enough for any workload.
    private static let wholeBytes = 96 << 20

    /// Why file systems cannot be mounted here; nil if they can.
    static func obstacle(_ kind: Kind, below directory: String) -> String? {
        if geteuid() != 0 { return "mounting a file system needs root." }
        do {
            _ = try SmallDisk(kind, bytes: 1 << 20, below: directory)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// So many bytes are free (``leaveFree(_:)``).
    init(_ kind: Kind, bytes: Int, below directory: String) throws {
        path = directory + "/disk"
        image = directory + "/disk-image"
        ballast = path + "/ballast"
        guard Self.hasOwnMounts else { throw Self.failure("no mounts of one's own") }
        mkdir(path, 0o755)
        switch kind {
        case .tmpfs:
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(Self.wholeBytes)") == 0 else {
                throw Self.failure("tmpfs cannot be mounted")
            }
        case .ext4: try mountImage(Self.wholeBytes)
        }
        try leaveFree(bytes)
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
        unlink(image)
    }

    func dropBallast() { unlink(ballast) }

    /// No more than so many bytes are free, until the ballast is dropped.
    func leaveFree(_ bytes: Int) throws {
        dropBallast()
        try fill(ballast, max(availableBytes() - bytes, 1))
    }

    /// What the file system keeps for itself is not among them.
    private func availableBytes() throws -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw Self.failure("no free space is known") }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Whether mounts made by this thread, and by those that it starts from now on, are seen by
    /// them and their children only: one that outlived this process would be in everybody's way.
    private static let hasOwnMounts: Bool = {
        // Glibc's module leaves `unshare` out; its address can be looked up.
        typealias Function = @convention(c) (Int32) -> Int32
        guard let address = dlsym(nil, "unshare") else { return false }
        let unshare = unsafeBitCast(address, to: Function.self)
        let newMountNamespace: Int32 = 0x2_0000
        return unshare(newMountNamespace) == 0
            && mount("none", "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil) == 0
    }()

    private func mountImage(_ bytes: Int) throws {
        let descriptor = open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("no image of a file system") }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(bytes)) == 0 else {
            throw Self.failure("no image of a file system")
        }
        // Without a journal and without blocks kept for root, so that the size says what fits.
        try Self.run("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", "-b", "4096", image)
        try Self.run("mount", "-o", "loop", image, path)
    }

    private static func run(_ tool: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError(.internalError, "\(tool) does not work here.")
        }
    }

    private func fill(_ file: String, _ bytes: Int) throws {
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("no ballast") }
        defer { close(descriptor) }
        let code = posix_fallocate(descriptor, 0, off_t(bytes))
        guard code == 0 else {
            throw BenchmarkError(
                .internalError, "no ballast: \(String(cString: strerror(code))).")
        }
    }

    private static func failure(_ what: String) -> BenchmarkError {
        BenchmarkError(.internalError, "\(what): \(String(cString: strerror(errno))).")
    }
}
