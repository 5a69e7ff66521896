/// What the stores of the object workloads have in common. Each belongs to the thread that opened
/// it; a call that writes is one transaction, unless it says otherwise.
public protocol ObjectStore: AnyObject {
    /// What the engine tells of the last transaction; nil if it tells nothing.
    var lastCommit: CommitCost? { get }
    func size() throws -> StoreSize
    /// Defects of the file's structure, in sentences, as far as the engine can check it.
    func problems() throws -> [String]
}

/// Objects without a key, with 3, 10 or 30 properties.
public protocol ItemStore: ObjectStore {
    /// One object for each ``ItemWidth/groups`` of neighbouring values.
    func add(_ items: ArraySlice<ItemValues>) throws
    /// The values of one object by the names of its properties, as ``create(from:)`` takes them.
    func dictionary(of items: ArraySlice<ItemValues>) -> [String: Any]
    /// The same as ``add(_:)``, from dictionaries.
    func create(from dictionaries: ArraySlice<[String: Any]>) throws
    /// Calls `body` with every group of every object, in any order of objects; what a narrow
    /// object has no property for is as in ``ItemValues/narrowed(to:)``.
    func forEach(_ body: (ItemValues) -> Void) throws
}

/// One object with a list of integers, a list of links, a set of strings and a map of integers.
public protocol ElementStore: ObjectStore {
    /// Appends the values to a list, or puts texts, or texts and values, into the set or the map.
    /// Each link leads to an object of its own, made by this call.
    func add(_ elements: ArraySlice<ElementValues>, to kind: ElementKind) throws
    /// The sum of the values at the positions of `elements`, or below their texts; for the set, how
    /// many of them it contains. No position is cached: each element is found by itself.
    func sum(of elements: ArraySlice<ElementValues>, in kind: ElementKind) throws -> Int
    /// Calls `body` with every element, in any order; with an empty text for those of lists, with 0
    /// as position of others, and as value in the set.
    func forEach(
        in kind: ElementKind, _ body: (_ position: Int, _ text: String, _ value: Int) -> Void
    ) throws
}

/// Objects with a property of each kind, numbered from 0.
public protocol PropertyStore: ObjectStore {
    /// Adds objects whose links lead to further objects: ``PropertyValues/targets`` of them, made
    /// by the first call.
    func add(_ objects: [PropertyValues]) throws
    /// Takes the first `count` objects in hand, as far as the engine has such: the calls below are
    /// about these.
    func hold(_ count: Int) throws
    /// Reads one property of an object `times` times, in the version that a transaction of the
    /// engine sees. Returns the sum of ``PropertyValues/word(of:)`` of what was read.
    func sum(of kind: PropertyKind, object number: Int, times: Int) throws -> UInt64
    /// Runs `body`, which calls ``set(_:object:to:times:)``, in one transaction.
    func write(_ body: () throws -> Void) throws
    /// Sets one property of an object `times` times, in turns to the first and the second value.
    func set(
        _ kind: PropertyKind, object number: Int, to values: (PropertyValues, PropertyValues),
        times: Int
    ) throws
    /// Calls `body` with every object, in any order, and the ``PropertyValues/text(of:)`` of its
    /// properties, in the order of ``PropertyKind``.
    func forEach(_ body: (_ number: Int, _ texts: [String]) -> Void) throws
}
