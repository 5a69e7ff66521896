import StorageEngine

#if PLANTED_BUGS
/// Whether this process has a bug that was compiled in, by its name in the engine's list. See
/// docs/planted-bugs.md.
@inline(__always)
func planted(_ bug: StaticString) -> Bool { PlantedBugs.isChosen(bug) }
#else
/// Always false, so that the compiler removes the code that depends on it.
@inline(__always)
func planted(_ bug: StaticString) -> Bool { false }
#endif
