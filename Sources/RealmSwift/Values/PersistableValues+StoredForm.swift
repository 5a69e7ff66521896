import StorageEngine

extension PropertyModel {
    /// The stored form of a value that an application gives, also of one that the property's type
    /// has no value for; nil if it does not fit. Valid until the scratch memory is reset.
    func storedForm(of value: Any?, _ scratch: _Scratch) -> Scalar? {
        valueType.storedForm(of: value, scratch)
            ?? valueType._storedType.storedForm(of: value, scratch)
    }
}

extension _Persistable {
    /// The stored form of a value that an application gives; nil if it does not fit. Valid until
    /// the scratch memory is reset.
    static func storedForm(of value: Any?, _ scratch: _Scratch) -> Scalar? {
        _convert(value, .detached).map { storedForm($0, scratch) }
    }

    /// The stored form of the value of a property declared without one.
    static func defaultForm(_ scratch: _Scratch) -> Scalar { storedForm(_makeDefault(), scratch) }

    private static func storedForm(_ value: Self, _ scratch: _Scratch) -> Scalar {
        var wrapper = Persisted(wrappedValue: value)
        return withUnsafeMutablePointer(to: &wrapper) {
            _gather(UnsafeMutableRawPointer($0), scratch)
        }
    }
}
