import Foundation
import Glibc

/// The end of a case's process together with its parent. Without it the process would outlive a
/// killed parent.
package enum ParentDeath {
    /// The environment variable with the process identifier of the parent.
    package static let variable = "REALM_BENCH_PARENT"
    /// The value of `PR_SET_PDEATHSIG`.
    private static let setParentDeathSignal: Int32 = 1

    /// Requests a signal at the death of the parent; called at the start of a process. The signal
    /// is sent when the *thread* that started the process ends, which is the main thread for cases.
    package static func follow() {
        guard let text = ProcessInfo.processInfo.environment[variable], let parent = Int32(text)
        else { return }
        // Swift does not import the variadic `prctl`, so its address is looked up.
        typealias Function = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        guard let address = dlsym(nil, "prctl") else { return }
        let prctl = unsafeBitCast(address, to: Function.self)
        guard prctl(setParentDeathSignal, UInt(SIGKILL), 0, 0, 0) == 0 else { return }
        // The parent may have died before the call.
        if getppid() != parent { kill(getpid(), SIGKILL) }
    }
}
