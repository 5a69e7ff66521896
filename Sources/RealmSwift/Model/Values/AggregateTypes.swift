import Foundation

/// A type that has a minimum and a maximum: numbers and dates.
@_marker public protocol MinMaxType {}
/// A type that can be summed: numbers.
@_marker public protocol AddableType {}
/// A type by which collections can be sorted.
@_marker public protocol SortableType {}

extension NSNumber: MinMaxType, AddableType {}
extension NSDate: MinMaxType {}
extension Int: MinMaxType, AddableType, SortableType {}
extension Int8: MinMaxType, AddableType, SortableType {}
extension Int16: MinMaxType, AddableType, SortableType {}
extension Int32: MinMaxType, AddableType, SortableType {}
extension Int64: MinMaxType, AddableType, SortableType {}
extension Float: MinMaxType, AddableType, SortableType {}
extension Double: MinMaxType, AddableType, SortableType {}
extension Decimal128: MinMaxType, AddableType, SortableType {}
extension Date: MinMaxType, SortableType {}
extension Bool: SortableType {}
extension String: SortableType {}
extension Data: SortableType {}
extension UUID: SortableType {}
extension ObjectId: SortableType {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
