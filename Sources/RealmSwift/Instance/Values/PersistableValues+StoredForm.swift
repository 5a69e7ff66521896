import StorageEngine

extension PropertyModel {
    /// Returns the stored form of a value given by the application, including a value that the
    /// property's type cannot represent; nil if it does not fit. Valid until the scratch memory is
    /// reset.
    func storedForm(of value: Any?, _ scratch: _Scratch) -> Scalar? {
        valueType.storedForm(of: value, scratch)
            ?? valueType._storedType.storedForm(of: value, scratch)
    }
}

extension _Persistable {
    /// Returns the stored form of a value given by the application; nil if it does not fit. Valid
    /// until the scratch memory is reset.
    static func storedForm(of value: Any?, _ scratch: _Scratch) -> Scalar? {
        _convert(value, .detached).map { storedForm($0, scratch) }
    }

    /// Returns the stored form of the default value of this type.
    static func defaultForm(_ scratch: _Scratch) -> Scalar { storedForm(_makeDefault(), scratch) }

    private static func storedForm(_ value: Self, _ scratch: _Scratch) -> Scalar {
        var wrapper = Persisted(wrappedValue: value)
        return withUnsafeMutablePointer(to: &wrapper) {
            _gather(UnsafeMutableRawPointer($0), scratch)
        }
    }
}
