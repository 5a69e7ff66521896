import ArgumentParser

/// Tries the points that it reads. Runs start it.
struct StressWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: HelperCommand.worker, shouldDisplay: false)

    @OptionGroup var limits: StressLimitOptions

    func run() throws { StressWorker.serve(limits.limits) }
}

/// Carries out a point's workload until it is killed. The layer of process deaths starts it.
struct StressVictimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: HelperCommand.victim, shouldDisplay: false)

    @Argument var path: String
    @Argument var faults: String
    @Argument var point: StressPoint

    func run() throws { try StressVictim.run(point, path: path, faults: faults) }
}

/// Appends to lists. The layer of many writers starts it.
struct StressAppenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: HelperCommand.appender, shouldDisplay: false)

    @Argument var path: String
    @Argument var process: Int
    @Argument var point: StressPoint

    func run() throws { try AppenderProcess.run(point, path: path, process: process) }
}

/// Observes a file. The layer of observers starts it.
struct StressWatcherCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: HelperCommand.watcher, shouldDisplay: false)

    @Argument var path: String
    @Argument var place: String
    @Argument var point: StressPoint

    func run() throws { try Watcher.run(point, path: path, place: place) }
}

extension StressPoint: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}
