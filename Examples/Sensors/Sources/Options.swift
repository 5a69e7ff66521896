/// What the command line says.
struct Options: Sendable {
    static let usage = """
        Usage: sensors FILE [options]

        Lets sensors write readings, each on its own thread, until each has the given number. Run it
        again, also after it was killed, and every sensor goes on where it was.

          --sensors N    how many (4)
          --readings N   of each (1000)
          --batch N      readings of a transaction (10)
          --seed N       of the temperatures (1)
          --relaxed      transactions do not wait for the disk
          --live         the rates, four times a second
        """

    var path = ""
    var sensors = 4
    var readings = 1000
    var batch = 10
    var seed = 1
    var isRelaxed = false
    var isLive = false

    /// Returns nil for arguments that are not understood.
    init?(_ arguments: [String]) {
        var arguments = arguments[...]
        guard let path = arguments.popFirst(), !path.hasPrefix("-") else { return nil }
        self.path = path
        while let option = arguments.popFirst() {
            switch option {
            case "--relaxed": isRelaxed = true
            case "--live": isLive = true
            default:
                guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0,
                    set(option, to: number)
                else { return nil }
            }
        }
    }

    private mutating func set(_ option: String, to number: Int) -> Bool {
        switch option {
        case "--sensors": sensors = number
        case "--readings": readings = number
        case "--batch": batch = number
        case "--seed": seed = number
        default: return false
        }
        return true
    }
}
