import BenchmarkKit

BenchmarkTool.main(allocations: JemallocCounters.probe())
