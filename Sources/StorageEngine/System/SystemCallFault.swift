import Glibc

/// What an interceptor does to a certain call. Faults have a textual form, in which a test can pass
/// them to a child process. Nothing in the engine reads such text by itself.
///
/// | text | meaning |
/// | --- | --- |
/// | `kill-before:17` | kill the process before the 17th call that changes files |
/// | `kill-after:pwrite:3` | kill the process after the third `pwrite` |
/// | `fail:fdatasync:3:EIO` | the third `fdatasync` fails with `EIO` and does nothing |
/// | `fail-forever:pwrite:5:ENOSPC` | so does every `pwrite` from the fifth on |
/// | `short:pwrite:2` | the second `pwrite` writes half of what it was given |
/// | `stop-before:fdatasync:1` | stop the process (SIGSTOP) before the first `fdatasync` |
/// | `fail-overlapped:fdatasync:1:EIO` | the first `fdatasync` fails once another one has begun |
/// | `slow:fdatasync:1` | every `fdatasync` from the first on takes 2 ms longer |
///
/// A call that overlaps with the failing one learns nothing of the failure, because Linux reports
/// an error once per open file. The first call fails by itself if no other one begins within 0.2 s.
package struct SystemCallFault: Equatable, Sendable {
    package enum Effect: Equatable, Sendable {
        case killBefore
        case killAfter
        case fail(errno: Int32)
        case failForever(errno: Int32)
        case short
        case stopBefore
        /// Takes as long as on a slow disk.
        case slow
        /// Two concurrent calls, of which the kernel reports the failure to only one.
        case failOverlapped(errno: Int32)
        /// Waits before the call until ``SystemInterceptor/release()``. Has no textual form.
        case hold
    }

    package var effect: Effect
    /// The affected call; nil for every call that changes files.
    package var call: SystemCall?
    /// The number of the call, from 1, among the affected calls that the interceptor sees.
    package var ordinal: Int

    package init(_ effect: Effect, call: SystemCall? = nil, ordinal: Int) {
        self.effect = effect
        self.call = call
        self.ordinal = ordinal
    }

    /// Parses the textual form. Returns nil if the text is malformed.
    package init?(parsing text: String) {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let verb = fields.first else { return nil }
        var rest = fields.dropFirst()
        var number: Int32?
        if verb.hasPrefix("fail") {
            guard rest.count == 3, let name = rest.popLast(), let value = Self.errorNumbers[name]
            else { return nil }
            number = value
        }
        guard let last = rest.popLast(), let ordinal = Int(last), ordinal > 0 else { return nil }
        var call: SystemCall?
        if let name = rest.popLast() {
            guard let value = SystemCall(rawValue: name) else { return nil }
            call = value
        }
        guard rest.isEmpty else { return nil }
        switch (verb, number) {
        case ("kill-before", nil): self.init(.killBefore, call: call, ordinal: ordinal)
        case ("kill-after", nil): self.init(.killAfter, call: call, ordinal: ordinal)
        case ("stop-before", nil): self.init(.stopBefore, call: call, ordinal: ordinal)
        case ("slow", nil): self.init(.slow, call: call, ordinal: ordinal)
        case ("short", nil):
            guard call == .pwrite || call == .pwritev else { return nil }
            self.init(.short, call: call, ordinal: ordinal)
        case ("fail", let number?): self.init(.fail(errno: number), call: call, ordinal: ordinal)
        case ("fail-forever", let number?):
            self.init(.failForever(errno: number), call: call, ordinal: ordinal)
        case ("fail-overlapped", let number?):
            self.init(.failOverlapped(errno: number), call: call, ordinal: ordinal)
        default: return nil
        }
    }

    /// Parses several faults, separated by commas. Returns nil if one of them is malformed.
    package static func list(parsing text: String) -> [SystemCallFault]? {
        var faults: [SystemCallFault] = []
        for part in text.split(separator: ",") {
            guard let fault = SystemCallFault(parsing: String(part)) else { return nil }
            faults.append(fault)
        }
        return faults
    }

    /// The error numbers that tests use.
    private static let errorNumbers: [String: Int32] = [
        "EIO": EIO, "ENOSPC": ENOSPC, "EDQUOT": EDQUOT, "EINTR": EINTR, "EACCES": EACCES,
        "EPERM": EPERM, "EROFS": EROFS, "ENOENT": ENOENT, "ENOTDIR": ENOTDIR, "EEXIST": EEXIST,
        "EISDIR": EISDIR, "EINVAL": EINVAL, "ENOMEM": ENOMEM, "EFBIG": EFBIG, "EMFILE": EMFILE,
        "ENOLCK": ENOLCK, "EAGAIN": EAGAIN, "ENXIO": ENXIO, "EOPNOTSUPP": EOPNOTSUPP,
    ]
}
