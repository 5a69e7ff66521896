// Managed collections are confined as their Realm is; see NotSendable.swift.

@available(*, unavailable)
extension List: @unchecked Sendable {}

@available(*, unavailable)
extension MutableSet: @unchecked Sendable {}

@available(*, unavailable)
extension Map: @unchecked Sendable {}

@available(*, unavailable)
extension Results: @unchecked Sendable {}

@available(*, unavailable)
extension LinkingObjects: @unchecked Sendable {}

@available(*, unavailable)
extension AnyRealmCollection: @unchecked Sendable {}
