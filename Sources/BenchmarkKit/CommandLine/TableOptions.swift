import ArgumentParser
import ToolSupport

/// How wide tables may be.
struct TableOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Tables with all columns, however wide. Default: at most \(PageWidth.usual) columns."))
    var wide = false

    /// Nil for any width.
    var width: Int? { wide ? nil : PageWidth.usual }
}
