/// What a measurement asks of every store that is written to.
public protocol MeasuredStore: AnyObject {
    /// The engine's report on the last transaction; nil if it gives none.
    var lastCommit: CommitCost? { get }
    func size() throws -> StoreSize
}

/// The common requirements of the stores for object workloads. A store belongs to the thread that
/// opened it. A method that writes is one transaction, unless stated otherwise.
public protocol ObjectStore: MeasuredStore {
    /// Returns the defects of the file's structure, one sentence each, as far as the engine can
    /// check it.
    func problems() throws -> [String]
}

/// Objects without a key, with 3, 10 or 30 properties.
public protocol ItemStore: ObjectStore {
    /// Adds one object for each ``ItemWidth/groups`` consecutive values.
    func add(_ items: ArraySlice<ItemValues>) throws
    /// Returns the values of one object by property name, as ``create(from:)`` takes them.
    func dictionary(of items: ArraySlice<ItemValues>) -> [String: Any]
    /// Adds objects like ``add(_:)``, from dictionaries.
    func create(from dictionaries: ArraySlice<[String: Any]>) throws
    /// Calls `body` with every group of every object; the objects come in any order. Values without
    /// a property in a narrow object are as in ``ItemValues/narrowed(to:)``.
    func forEach(_ body: (ItemValues) -> Void) throws
}

/// One object with a list of integers, a list of links, a set of strings and a map of integers.
public protocol ElementStore: ObjectStore {
    /// Appends the values to a list, puts the texts into the set, or puts texts and values into the
    /// map. Each link leads to an object of its own, created by this call.
    func add(_ elements: ArraySlice<ElementValues>, to kind: ElementKind) throws
    /// Returns the sum of the values at the positions of `elements` in a list or under their texts
    /// in the map; for the set, the number of texts that it contains. Positions are not cached:
    /// each element is looked up separately.
    func sum(of elements: ArraySlice<ElementValues>, in kind: ElementKind) throws -> Int
    /// Calls `body` with every element, in any order. The text is empty for elements of lists, the
    /// position is 0 for elements of the set and the map, and the value is 0 for elements of the
    /// set.
    func forEach(
        in kind: ElementKind, _ body: (_ position: Int, _ text: String, _ value: Int) -> Void
    ) throws
}

/// Objects with a property of each kind, numbered from 0.
public protocol PropertyStore: ObjectStore {
    /// Adds objects whose links lead to ``PropertyValues/targets`` further objects, which the first
    /// call creates.
    func add(_ objects: [PropertyValues]) throws
    /// Loads the first `count` objects for the calls below, if the engine has objects.
    func hold(_ count: Int) throws
    /// Reads one property of an object `times` times, in the version seen by one transaction.
    /// Returns the sum of ``PropertyValues/word(of:)`` of the values read.
    func sum(of kind: PropertyKind, object number: Int, times: Int) throws -> UInt64
    /// Runs `body`, which calls ``set(_:object:to:times:)``, in one transaction.
    func write(_ body: () throws -> Void) throws
    /// Sets one property of an object `times` times, alternating between the first and the second
    /// value.
    func set(
        _ kind: PropertyKind, object number: Int, to values: (PropertyValues, PropertyValues),
        times: Int
    ) throws
    /// Calls `body` with every object, in any order, and the ``PropertyValues/text(of:)`` of its
    /// properties in the order of ``PropertyKind``.
    func forEach(_ body: (_ number: Int, _ texts: [String]) -> Void) throws
}
