// A process for tests that need several. The first argument names a scenario, the others are its
// arguments. A scenario reports its progress with `report`, one line each, and waits for the test
// with `waitForTest`. To add scenarios, add a file with a table of them and list it here.

import Glibc

ParentWatch.start()

let scenarios = coordinationScenarios.merging(commitScenarios) { first, _ in first }
    .merging(crashScenarios) { first, _ in first }
    .merging(encryptionScenarios) { first, _ in first }
    .merging(changeScenarios) { first, _ in first }
    .merging(shrinkScenarios) { first, _ in first }
    .merging(forkScenarios) { first, _ in first }
let arguments = Array(CommandLine.arguments.dropFirst())

guard let name = arguments.first, let scenario = scenarios[name] else {
    report("error: no scenario '\(arguments.first ?? "")'")
    exit(64)
}

do {
    try scenario(Array(arguments.dropFirst()))
} catch {
    report("error: \(error)")
    exit(1)
}
