import BenchmarkKit
import JemallocCounters

BenchmarkTool.main(allocations: JemallocCounters.probe())
