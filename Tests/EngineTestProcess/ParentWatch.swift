import Glibc

/// Kills this process when its parent has died.
///
/// PR_SET_PDEATHSIG is no alternative: that signal is sent when the *thread* that started this
/// process ends, and tests run on threads of a pool.
enum ParentWatch {
    private static let pidfdOpen = 434

    static func start() {
        let parent = getppid()
        let descriptor = Int32(syscall3(pidfdOpen, Int(parent), 0))
        guard descriptor >= 0, getppid() == parent else { exit(70) }
        var thread = pthread_t()
        let argument = UnsafeMutableRawPointer(bitPattern: Int(descriptor))
        let status = pthread_create(
            &thread, nil,
            { argument in
                var wanted = pollfd(
                    fd: Int32(Int(bitPattern: argument)), events: Int16(POLLIN), revents: 0)
                while poll(&wanted, 1, -1) < 1 {}
                kill(getpid(), SIGKILL)
                return nil
            }, argument)
        guard status == 0 else { exit(70) }
    }
}

/// Calls `syscall`, whose variadic declaration is not imported. Its address is looked up.
private func syscall3(_ number: Int, _ first: Int, _ second: Int) -> Int {
    typealias Function = @convention(c) (Int, Int, Int) -> Int
    guard let address = dlsym(nil, "syscall") else { return -1 }
    return unsafeBitCast(address, to: Function.self)(number, first, second)
}
