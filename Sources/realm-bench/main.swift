import BenchmarkKit
import JemallocCounters
import StressKit

BenchmarkTool.main(allocations: JemallocCounters.probe(), commands: StressTool.commands)
