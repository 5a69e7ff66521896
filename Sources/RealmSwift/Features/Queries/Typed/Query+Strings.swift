// Strings are compared by their bytes, unless options say otherwise. Options apply to strings, not
// to data.

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Returns a condition that the property contains a string or a sequence of bytes.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.contains, value, options: options)
    }

    /// Returns a condition that the property contains the value of another one.
    public func contains<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.contains, with: column, options: options)
    }

    /// Returns a condition that the property starts with a string or a sequence of bytes.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.beginsWith, value, options: options)
    }

    /// Returns a condition that the property starts with the value of another one.
    public func starts<U: _Persistable>(
        with column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.beginsWith, with: column, options: options)
    }

    /// Returns a condition that the property ends with a string or a sequence of bytes.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.endsWith, value, options: options)
    }

    /// Returns a condition that the property ends with the value of another one.
    public func ends<U: _Persistable>(
        with column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.endsWith, with: column, options: options)
    }

    /// Returns a condition that the property equals a value, compared with options.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.equal, value, options: options)
    }

    /// Returns a condition that two properties have the same value, compared with options.
    public func equals<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.equal, with: column, options: options)
    }

    /// Returns a condition that the property differs from a value, compared with options.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.notEqual, value, options: options)
    }

    /// Returns a condition that two properties have different values, compared with options.
    public func notEquals<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.notEqual, with: column, options: options)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Returns a condition that the property matches a pattern. In the pattern, `?` matches one
    /// character and `*` matches any number of characters.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        comparison(.like, value, options: caseInsensitive ? .caseInsensitive : [])
    }

    /// Returns a condition that the property matches a pattern that is the value of another one.
    public func like<U: _Persistable>(
        _ column: Query<U>, caseInsensitive: Bool = false
    ) -> Query<Bool> where U.PersistedType: _QueryString {
        comparison(.like, with: column, options: caseInsensitive ? .caseInsensitive : [])
    }
}
