import BenchmarkKit
import JemallocCounters
import PeerEngines

BenchmarkTool.main(allocations: JemallocCounters.probe(), engines: PeerEngines.all)
