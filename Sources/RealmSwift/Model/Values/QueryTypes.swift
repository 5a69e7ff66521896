/// A type whose values are ordered in queries.
public protocol _QueryOrdered {}

/// A type whose values can be compared with `<` and aggregated in queries: numbers, and dates,
/// which have no sum and no average.
public protocol _QueryNumeric: _QueryOrdered {}

/// A type whose values consist of bytes, so that queries can search for parts of them.
public protocol _QueryBinary: _QueryOrdered {}

/// A type whose values are strings.
public protocol _QueryString: _QueryBinary {}

extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary {}
extension Optional: _QueryString where Wrapped: _QueryString {}
