import Foundation
import Glibc

/// Lets a process of a case end with the process that started it: nobody else would end it when
/// that one is killed.
package enum ParentDeath {
    /// Tells the process which one started it.
    package static let variable = "REALM_BENCH_PARENT"
    /// `PR_SET_PDEATHSIG`.
    private static let setParentDeathSignal: Int32 = 1

    /// At the start of a process. The signal comes when the *thread* that started it ends: cases
    /// are started by main threads.
    package static func follow() {
        guard let text = ProcessInfo.processInfo.environment[variable], let parent = Int32(text)
        else { return }
        // The variadic `prctl` is not imported; its address is.
        typealias Function = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        guard let address = dlsym(nil, "prctl") else { return }
        let prctl = unsafeBitCast(address, to: Function.self)
        guard prctl(setParentDeathSignal, UInt(SIGKILL), 0, 0, 0) == 0 else { return }
        // It may have died before.
        if getppid() != parent { kill(getpid(), SIGKILL) }
    }
}
