import Foundation
import RealmSwift

@main
struct Sensors {
    static func main() {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
            exit(64)
        }
        do {
            try run(options)
        } catch {
            FileHandle.standardError.write(Data("sensors: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ options: Options) throws {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: options.path),
            objectTypes: [Sensor.self, Reading.self])
        configuration.durability = options.isRelaxed ? .relaxed : .full
        let realm = try Realm(configuration: configuration)
        let threads = Threads()
        for number in 1...options.sensors {
            let sensor = SensorThread(
                number: number, options: options, configuration: configuration)
            threads.start { try sensor.run() }
        }
        var view = LiveView(realm)
        while try !threads.wait(seconds: 0.25) {
            if options.isLive { view.show() }
        }
        if options.isLive { view.show() }
        printSummary(realm)
    }
}
