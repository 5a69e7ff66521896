// Strings are compared byte by byte unless options say otherwise. Options concern strings, not data.

extension Query where T: _HasPersistedType, T.PersistedType: _QueryBinary {
    /// Whether the property contains a string, or a sequence of bytes.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.contains, value, options: options)
    }

    /// Whether the property contains the value of another one.
    public func contains<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.contains, with: column, options: options)
    }

    /// Whether the property starts with a string, or a sequence of bytes.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.beginsWith, value, options: options)
    }

    /// Whether the property starts with the value of another one.
    public func starts<U: _Persistable>(
        with column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.beginsWith, with: column, options: options)
    }

    /// Whether the property ends with a string, or a sequence of bytes.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.endsWith, value, options: options)
    }

    /// Whether the property ends with the value of another one.
    public func ends<U: _Persistable>(
        with column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.endsWith, with: column, options: options)
    }

    /// Whether the property has a value, by other rules than `==` compares.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.equal, value, options: options)
    }

    /// Whether two properties have the same value, by other rules than `==` compares.
    public func equals<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.equal, with: column, options: options)
    }

    /// Whether the property has another value, by other rules than `!=` compares.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        comparison(.notEqual, value, options: options)
    }

    /// Whether two properties have different values, by other rules than `!=` compares.
    public func notEquals<U: _Persistable>(
        _ column: Query<U>, options: StringOptions = []
    ) -> Query<Bool> where U.PersistedType: _QueryBinary {
        comparison(.notEqual, with: column, options: options)
    }
}

extension Query where T: _HasPersistedType, T.PersistedType: _QueryString {
    /// Whether the property matches a pattern, in which `?` stands for one character and `*` for
    /// any number of them.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        comparison(.like, value, options: caseInsensitive ? .caseInsensitive : [])
    }

    /// Whether the property matches the pattern that another one holds.
    public func like<U: _Persistable>(
        _ column: Query<U>, caseInsensitive: Bool = false
    ) -> Query<Bool> where U.PersistedType: _QueryString {
        comparison(.like, with: column, options: caseInsensitive ? .caseInsensitive : [])
    }
}
