// Confined as its Realm is; see NotSendable.swift.
@available(*, unavailable)
extension List: @unchecked Sendable {}

// Confined as its Realm is; see NotSendable.swift.
@available(*, unavailable)
extension MutableSet: @unchecked Sendable {}

// Confined as its Realm is; see NotSendable.swift.
@available(*, unavailable)
extension Map: @unchecked Sendable {}

// Confined as its Realm is; see NotSendable.swift.
@available(*, unavailable)
extension Results: @unchecked Sendable {}

// Confined as its Realm is; see NotSendable.swift.
@available(*, unavailable)
extension LinkingObjects: @unchecked Sendable {}

// Confined as its Realm is; see NotSendable.swift.
@available(*, unavailable)
extension AnyRealmCollection: @unchecked Sendable {}
