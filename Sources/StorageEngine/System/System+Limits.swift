import Glibc

/// The limits of a process, for errors that name the one that was reached. Interceptors do not see
/// these calls, because they touch no file of the database.
extension System {
    /// The bytes of address space that this process may use (`ulimit -v`); nil without a limit.
    package static var addressSpaceLimit: Int? { limit(__rlimit_resource_t(RLIMIT_AS.rawValue)) }

    /// The bytes of address space that this process uses; nil if the system does not tell.
    package static var addressSpaceInUse: Int? {
        numbers(in: "/proc/self/statm").first.map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// The number of descriptors that this process may have open (`ulimit -n`); nil without a
    /// limit.
    package static var descriptorLimit: Int? { limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue)) }

    /// The number of mappings that a process may have (`vm.max_map_count`); nil if the system does
    /// not tell.
    package static var mappingLimit: Int? { numbers(in: "/proc/sys/vm/max_map_count").first }

    /// The number of mappings that this process has; nil if the system does not tell.
    package static var mappingCount: Int? {
        guard let file = fopen("/proc/self/maps", "re") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var lines = 0
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return lines }
            lines += buffer[..<count].count { $0 == UInt8(ascii: "\n") }
        }
    }

    private static func limit(_ resource: __rlimit_resource_t) -> Int? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(Int.max) else { return nil }
        return Int(limit.rlim_cur)
    }

    private static func numbers(in path: String) -> [Int] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return [] }
        return line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
}
