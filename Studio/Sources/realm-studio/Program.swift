import StudioKit

@main
enum Program {
    static func main() async { await StudioCommand.main() }
}
