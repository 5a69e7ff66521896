import Foundation
import ToolSupport

/// A source of normally distributed values from a seed, by the method of Box and Muller.
struct NormalSource {
    var generator: SeededGenerator

    mutating func next(_ center: Double, spread: Double) -> Double {
        let radius = (-2 * log(1 - generator.nextUnit())).squareRoot()
        return center * (1 + spread * radius * cos(2 * .pi * generator.nextUnit()))
    }
}
