import CoreFoundation
import ToolSupport

/// For how long the caller's thread is busy at a time: from the moment that its run loop wakes up,
/// or begins with something to do, until it sleeps or returns.
final class BusyTimes {
    private var times = LatencyRecorder()
    private var begun: UInt64?
    private var observer: CFRunLoopObserver?

    init() {
        var context = CFRunLoopObserverContext()
        // Unretained is safe because `stop` or `deinit` ends the observer on this thread.
        context.info = Unmanaged.passUnretained(self).toOpaque()
        let activities: CFRunLoopActivity = [.entry, .beforeWaiting, .afterWaiting, .exit]
        observer = CFRunLoopObserverCreate(
            kCFAllocatorDefault, activities.rawValue, true, 0,
            { _, activity, information in
                let times = Unmanaged<BusyTimes>.fromOpaque(information!).takeUnretainedValue()
                times.note(isAwake: activity == .entry || activity == .afterWaiting)
            }, &context)
        CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
    }

    deinit { end() }

    private func note(isAwake: Bool) {
        let now = monotonicNanoseconds()
        if isAwake {
            begun = now
        } else if let begun {
            times.record(now - begun)
            self.begun = nil
        }
    }

    private func end() {
        if let observer { CFRunLoopObserverInvalidate(observer) }
        observer = nil
    }

    /// Returns the times so far and measures no more.
    func stop() -> LatencyRecorder {
        end()
        return times
    }
}
