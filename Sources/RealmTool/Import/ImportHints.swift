/// What messages say of the options that would help. Each begins with a space, or is empty.
struct ImportHints {
    var missingLinks = " --missing-links null leaves it out."
    var existing = " --existing update changes it, --existing skip keeps it."

    /// For those who give no options.
    static let none = ImportHints(missingLinks: "", existing: "")
}
