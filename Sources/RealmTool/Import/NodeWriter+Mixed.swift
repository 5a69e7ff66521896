import StorageEngine
import ToolSupport

/// Mixed values, read from JSON: the reverse of ``MixedText``.
extension NodeWriter {
    enum MixedContent {
        /// A value in the form in which a mixed column takes it.
        case value(Scalar)
        case list([JSONNode])
        case map([JSONNode.Member])

        fileprivate var collection: CollectionKind {
            switch self {
            case .value: .none
            case .list: .list
            case .map: .map
            }
        }
    }

    func mixed(_ node: JSONNode) throws -> MixedContent {
        switch node.value {
        case .null: return .value(.null)
        case .bool(let value): return .value(scalar(.bool(value)))
        case .number(let digits):
            return try digits.withUnsafeBytes { text in
                if let number = NumberText.integer(text) { return .value(scalar(.int(number))) }
                guard let number = NumberText.double(text) else {
                    throw DataProblem("This is no number.", at: node.offset)
                }
                return .value(scalar(.double(number)))
            }
        case .string(let bytes), .field(let bytes):
            return try bytes.withUnsafeBytes { text in
                guard JSONText.isUTF8(text) else {
                    throw DataProblem("This text is not UTF-8.", at: node.offset)
                }
                return .value(scalar(.string(text)))
            }
        case .array(let elements): return .list(elements)
        case .object(let members):
            guard members.count == 1, members[0].name.first == UInt8(ascii: "$") else {
                return .map(members)
            }
            return try named(members[0])
        }
    }

    /// A value with the name of its type.
    private func named(_ member: JSONNode.Member) throws -> MixedContent {
        let name = String(decoding: member.name, as: UTF8.self)
        let node = member.value
        switch name {
        case "$map":
            guard case .object(let members) = node.value else {
                throw DataProblem("'$map' is an object.", at: node.offset)
            }
            return .map(members)
        case "$link":
            guard let link = try links.typedLink(node) else {
                if leavesOutMissingLinks { return .value(.null) }
                throw DataProblem("This link leads to no object.", at: node.offset)
            }
            return .value(scalar(.link(link)))
        default: break
        }
        let types: [String: ValueType] = [
            "$float": .float, "$double": .double, "$date": .date, "$data": .data, "$uuid": .uuid,
            "$objectId": .objectID, "$decimal128": .decimal128,
        ]
        guard let type = types[name] else {
            throw DataProblem(
                "'\(name)' is none of $link, $map, "
                    + types.keys.sorted().joined(separator: ", ")
                    + ". A map whose only key begins with $ is written {\"$map\": {…}}.",
                at: node.offset)
        }
        let value = try node.withToken { token throws(DataProblem) in
            let value = try ScalarReader.scalar(
                token, type, isOptional: false, memory: memory, place: name)
            return MixedValue(value, storedAs: type).map(scalar)
        }
        guard let value = value ?? nil else {
            throw DataProblem(
                "'\(name)' is \(ScalarReader.noun(type)).", at: node.offset)
        }
        return .value(value)
    }

    /// The value as a mixed column takes it, with its bytes in memory that lives as long as the
    /// record.
    private func scalar(_ value: MixedValue) -> Scalar {
        value.withScalar { scalar in
            guard case .bytes(let bytes) = scalar else { return scalar }
            return .bytes(memory.copy(bytes))
        }
    }

    func append(mixed node: JSONNode, to list: ListHandle) throws {
        let content = try mixed(node)
        if case .value(let value) = content { return try list.append(value) }
        let position = try list.count()
        try list.insertEmpty(content.collection, at: position)
        try fill(position, of: list, with: content)
    }

    func replace(_ position: Int, of list: ListHandle, byMixed node: JSONNode) throws {
        let content = try mixed(node)
        if case .value(let value) = content { return try list.set(value, at: position) }
        try list.setEmpty(content.collection, at: position)
        try fill(position, of: list, with: content)
    }

    /// Fills the empty list or map at a position.
    private func fill(_ position: Int, of list: ListHandle, with content: MixedContent) throws {
        switch content {
        case .value: break
        case .list(let elements):
            guard let nested = try list.nestedList(at: position) else { return }
            for element in elements { try append(mixed: element, to: nested) }
        case .map(let members):
            guard let nested = try list.nestedMap(at: position) else { return }
            for member in members { try set(mixed: member, in: nested) }
        }
    }

    func set(mixed member: JSONNode.Member, in map: MapHandle) throws {
        let key = memory.copy(member.name)
        switch try mixed(member.value) {
        case .value(let value): try map.set(value, forKey: key)
        case .list(let elements):
            try map.setEmpty(.list, forKey: key)
            guard let nested = try map.nestedList(forKey: key) else { return }
            for element in elements { try append(mixed: element, to: nested) }
        case .map(let members):
            try map.setEmpty(.map, forKey: key)
            guard let nested = try map.nestedMap(forKey: key) else { return }
            for member in members { try set(mixed: member, in: nested) }
        }
    }
}
