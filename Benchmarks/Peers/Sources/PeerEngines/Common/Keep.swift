/// Consumes a value opaquely, so that the compiler does not remove its computation.
@inline(never)
func keep(_ value: Int) { withExtendedLifetime(value) {} }
