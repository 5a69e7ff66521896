/// Uses a value in a way that the compiler cannot see through, so that computing it is not left out.
@inline(never)
func keep(_ value: Int) { withExtendedLifetime(value) {} }
