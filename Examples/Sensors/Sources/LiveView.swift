import Foundation
import RealmSwift

/// Shows how many readings arrive. It has a Realm of its own, on the main thread, which reads while
/// the sensors write: nobody waits for anybody.
struct LiveView {
    private let realm: Realm
    private let began = ContinuousClock.now
    private var shownAt = ContinuousClock.now
    private var shown: Int

    init(_ realm: Realm) {
        self.realm = realm
        shown = realm.objects(Reading.self).count
    }

    /// Prints a line, with the rate since the line before.
    mutating func show() {
        // Otherwise the Realm of a thread without a run loop stays where it was.
        realm.refresh()
        let count = realm.objects(Reading.self).count
        let now = ContinuousClock.now
        let rate = Double(count - shown) / ((now - shownAt) / .seconds(1))
        let time = (now - began) / .seconds(1)
        print(String(format: "%6.2f s %9d readings %9.0f a second", time, count, rate))
        fflush(nil)
        (shown, shownAt) = (count, now)
    }
}

/// Prints what all sensors have measured. The numbers are computed in the file, without objects.
func printSummary(_ realm: Realm) {
    realm.refresh()
    for sensor in realm.objects(Sensor.self).sorted(by: \.number) {
        let readings = sensor.readings
        let mean: Double = readings.average(of: \.temperature) ?? 0
        print(
            String(
                format: "sensor %d: %d readings, from %.1f to %.1f degrees, mean %.2f",
                sensor.number, readings.count, readings.min(of: \.temperature) ?? 0,
                readings.max(of: \.temperature) ?? 0, mean))
    }
}
