import Glibc

/// Returns the nanoseconds of `CLOCK_MONOTONIC`. One call takes 25 to 36 ns, so operations shorter
/// than about 2 microseconds are timed in batches.
@inlinable @inline(__always)
package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// Returns the seconds between two readings of the clock.
package func seconds(from start: UInt64, to end: UInt64) -> Double {
    Double(end - start) / 1e9
}
