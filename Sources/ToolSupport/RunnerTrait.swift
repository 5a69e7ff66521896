// Every target that uses packages other than the library depends on this one. Without the trait
// none of them is compiled, and this is the only error.
#if !Runner
#error("Add '--traits Runner', as scripts/test does: the runner and its tests use more packages.")
#endif
