import BenchmarkKit

// The program `realm-bench` with the allocator of the C library: it links no jemalloc and counts no
// allocations.
BenchmarkTool.main(allocations: nil)
