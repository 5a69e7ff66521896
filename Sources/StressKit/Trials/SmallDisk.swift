import Foundation
import Glibc
import ToolSupport

/// A real file system of a given size, mounted for the lifetime of this object. Only this process
/// and its children see it.
final class SmallDisk {
    enum Kind: String, CaseIterable {
        case tmpfs, ext4
    }

    let path: String
    private let image: String
    private let ballast: String

    /// Size of the file system, which is enough for any workload.
    private static let wholeBytes = 96 << 20

    /// Returns why file systems cannot be mounted on this machine, or nil if they can.
    static func obstacle(_ kind: Kind, below directory: String) -> String? {
        if geteuid() != 0 { return "mounting a file system needs root." }
        do {
            _ = try SmallDisk(kind, bytes: 1 << 20, below: directory)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Mounts a file system with `bytes` free bytes; ``leaveFree(_:)`` says how.
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

    /// Fills the file system so that no more than `bytes` bytes are free until the ballast is
    /// dropped.
    func leaveFree(_ bytes: Int) throws {
        dropBallast()
        try fill(ballast, max(availableBytes() - bytes, 1))
    }

    /// Returns the number of free bytes, without those that the file system reserves for itself.
    private func availableBytes() throws -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw Self.failure("no free space is known") }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Whether mounts are private to this thread, the threads it starts from now on, and their
    /// children. A mount that outlived this process would be in the way of everyone on the machine.
    private static let hasOwnMounts: Bool = {
        // Glibc's module leaves out `unshare`, so its address is looked up.
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
        // Without a journal and without blocks reserved for root, so that the size alone decides
        // what fits.
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
