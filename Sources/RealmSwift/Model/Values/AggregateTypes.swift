import Foundation

/// A type that has a minimum and a maximum: numbers and dates.
@_marker public protocol MinMaxType {}
/// A type that can be summed: numbers.
@_marker public protocol AddableType {}
/// A type by which collections can be sorted.
@_marker public protocol SortableType {}

extension NSNumber: MinMaxType, AddableType {}
extension NSDate: MinMaxType {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
