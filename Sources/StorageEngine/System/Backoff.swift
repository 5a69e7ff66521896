/// For how many occasions to leave something out that was in vain.
///
/// After trying in vain, the next 4 occasions pass without it, and twice as many each time, up to
/// 1,024. So what does not pay costs one trial in a thousand occasions.
struct Backoff {
    private static let shortestPause = 4
    private static let longestPause = 1024

    private var pause = 0
    private var nextPause = Backoff.shortestPause

    /// Whether it is to be tried on this occasion.
    var isDue: Bool { pause == 0 }

    /// An occasion has passed.
    mutating func pass() {
        if pause > 0 { pause -= 1 }
    }

    mutating func didTry(inVain: Bool) {
        if inVain {
            pause = nextPause
            nextPause = min(2 * nextPause, Self.longestPause)
        } else {
            nextPause = Self.shortestPause
        }
    }
}
