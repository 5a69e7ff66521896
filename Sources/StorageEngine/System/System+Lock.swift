import CRealmSystem
import Glibc

/// Byte-range locks that belong to an open file description. They are not tied to a thread, end
/// with the last descriptor, and are released by the kernel when a process dies.
extension System {
    package enum LockKind: Sendable {
        case shared, exclusive

        fileprivate var code: Int32 {
            switch self {
            case .shared: Int32(realm_lock_shared.rawValue)
            case .exclusive: Int32(realm_lock_exclusive.rawValue)
            }
        }
    }

    /// A range of bytes to lock, which need not exist in the file. Length 0 extends to the end.
    package struct LockRange: Equatable, Sendable {
        package var start: Int64
        package var length: Int64

        package init(start: Int64, length: Int64) {
            self.start = start
            self.length = length
        }

        package static let wholeFile = LockRange(start: 0, length: 0)
    }

    /// Acquires the lock, or converts a held one, waiting without limit.
    package static func lock(
        _ descriptor: Int32, _ kind: LockKind, on range: LockRange
    ) throws(SystemFailure) {
        _ = try perform(.lock, descriptor: descriptor) {
            Int(realm_ofd_lock(descriptor, kind.code, range.start, range.length, true))
        }
    }

    /// Acquires the lock unless that requires waiting. Returns whether it was acquired.
    package static func tryLock(
        _ descriptor: Int32, _ kind: LockKind, on range: LockRange
    ) throws(SystemFailure) -> Bool {
        do {
            _ = try perform(.lock, descriptor: descriptor) {
                Int(realm_ofd_lock(descriptor, kind.code, range.start, range.length, false))
            }
            return true
        } catch {
            if error.errno == EAGAIN || error.errno == EACCES { return false }
            throw error
        }
    }

    package static func unlock(_ descriptor: Int32, _ range: LockRange) throws(SystemFailure) {
        _ = try perform(.lock, descriptor: descriptor) {
            Int(
                realm_ofd_lock(
                    descriptor, Int32(realm_lock_none.rawValue), range.start, range.length, false))
        }
    }

    /// Returns a lock of another open file description in the range that conflicts with one of this
    /// kind, or nil if there is none. Any lock conflicts with an exclusive one, and only exclusive
    /// locks conflict with a shared one. If there are several, any of them may be returned.
    package static func lockOfOther(
        _ descriptor: Int32, against kind: LockKind, in range: LockRange
    ) throws(SystemFailure) -> LockRange? {
        var found = range
        let result = try perform(.lock, descriptor: descriptor) {
            Int(realm_ofd_find_lock(descriptor, kind.code, &found.start, &found.length))
        }
        return result == 1 ? found : nil
    }

    /// Whether another open file description holds a lock in the range that conflicts with a lock
    /// of this kind. By default any lock conflicts.
    package static func isLockedByOther(
        _ descriptor: Int32, _ range: LockRange, against kind: LockKind = .exclusive
    ) throws(SystemFailure) -> Bool {
        try lockOfOther(descriptor, against: kind, in: range) != nil
    }
}
