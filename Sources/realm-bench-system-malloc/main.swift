import BenchmarkKit

// The same program as realm-bench but for the allocator: it links no jemalloc, and so counts none.
BenchmarkTool.main(allocations: nil)
