import StorageEngine

/// A class as observed from one of its objects: the columns whose changes count as modifications of
/// the object, and the objects whose modifications do.
final class ObservedClass {
    /// Where the modifications of other objects count.
    struct Branch {
        enum Hop {
            /// A column of links of this class, or of collections of links.
            case links(column: Int)
            /// A column of mixed values, or of collections of them, as far as they link to objects
            /// of the other class, also from collections inside of them.
            case mixedLinks(column: Int)
            /// The objects of the other class that refer to an object of this one.
            case referrers(column: Int)
        }

        let hop: Hop
        let target: ObservedClass
    }

    /// Says which observed classes are equal. All that count everything of one class at one
    /// distance are; those of key paths only equal themselves.
    struct Identity: Hashable {
        fileprivate let object: ObjectIdentifier
        fileprivate let depth: Int?
    }

    let managedClass: ManagedClass
    /// The ids of the columns that count; nil if all do.
    private(set) var columns: Set<UInt16>?
    private(set) var branches: [Branch] = []
    /// The number of links to here, if everything counts without key paths.
    private var depth: Int?

    private init(_ managedClass: ManagedClass, columns: Set<UInt16>?, depth: Int? = nil) {
        self.managedClass = managedClass
        self.columns = columns
        self.depth = depth
    }

    var identity: Identity {
        Identity(object: ObjectIdentifier(depth == nil ? self : managedClass), depth: depth)
    }

    func counts(_ changed: ColumnSet) -> Bool {
        guard let columns else { return !changed.isEmpty }
        return columns.contains { changed.contains($0) }
    }

    /// Has the modifications of a column count.
    func add(column: Int) {
        if let table = managedClass.table { columns?.insert(table.columnID(column)) }
    }

    /// Has the modifications of all columns count.
    func addAllColumns() { columns = nil }
}

// MARK: Without key paths

extension ObservedClass {
    /// The number of links that are followed if no key paths are given.
    static let defaultDepth = 4

    /// All properties of a class, and of objects that are at most ``defaultDepth`` links away.
    static func everything(of managedClass: ManagedClass) -> ObservedClass {
        var known: [Level: ObservedClass] = [:]
        return everything(of: managedClass, depth: 0, known: &known)
    }

    /// What the keys of sections may depend on: all properties, also of objects that are at most
    /// ``defaultDepth`` links away, and which objects link to an object, with their own properties.
    static func everythingForKeys(of managedClass: ManagedClass) -> ObservedClass {
        let observed = everything(of: managedClass)
        for property in observed.declaring.computed {
            guard let (origin, column) = observed.referrers(named: property.name) else { continue }
            let referrers = ObservedClass(origin, columns: nil)
            observed.branches.append(Branch(hop: .referrers(column: column), target: referrers))
            // It is not equal to those without linking objects.
            observed.depth = nil
        }
        return observed
    }

    /// All properties of the objects, of any class, to which mixed values may link.
    static func everythingLinked(from realm: RealmInstance) -> [ObservedClass] {
        var known: [Level: ObservedClass] = [:]
        return realm.linkedClasses.map { everything(of: $0, depth: 0, known: &known) }
    }

    /// A class at a distance. What is observed of it does not depend on the way to it.
    private struct Level: Hashable {
        var name: String
        var depth: Int
    }

    private static func everything(
        of managedClass: ManagedClass, depth: Int, known: inout [Level: ObservedClass]
    ) -> ObservedClass {
        let level = Level(name: managedClass.model.name, depth: depth)
        if let found = known[level] { return found }
        let observed = ObservedClass(managedClass, columns: nil, depth: depth)
        known[level] = observed
        if depth == defaultDepth { return observed }
        for column in managedClass.columns where managedClass.leadsToOneClass(column) {
            let target = managedClass.linkTarget(column: column)
            observed.branches.append(
                Branch(
                    hop: .links(column: column),
                    target: everything(of: target, depth: depth + 1, known: &known)))
        }
        for column in managedClass.columns where managedClass.hasMixedValues(column) {
            for target in managedClass.realm.linkedClasses {
                observed.branches.append(
                    Branch(
                        hop: .mixedLinks(column: column),
                        target: everything(of: target, depth: depth + 1, known: &known)))
            }
        }
        return observed
    }
}

extension ManagedClass {
    fileprivate func leadsToOneClass(_ column: Int) -> Bool {
        let type = property(ofColumn: column).shape.type
        return type == .link || type == .embedded
    }

    fileprivate func hasMixedValues(_ column: Int) -> Bool {
        property(ofColumn: column).shape.type == .mixed
    }
}

extension RealmInstance {
    /// The classes of the schema whose objects mixed values may link to.
    fileprivate var linkedClasses: [ManagedClass] {
        schema.classes.compactMap { model in
            model.type is EmbeddedObject.Type ? nil : managedClass(for: model.type)
        }
    }
}

// MARK: With key paths

extension ObservedClass {
    /// The properties at the ends of key paths, and the links on the way to them.
    ///
    /// Stops the program if a key path does not lead to a property.
    static func paths(_ keyPaths: [String], of managedClass: ManagedClass) -> ObservedClass {
        let observed = ObservedClass(managedClass, columns: [])
        for keyPath in keyPaths {
            observed.add(keyPath.split(separator: ".", omittingEmptySubsequences: false)[...])
        }
        return observed
    }

    private func add(_ names: ArraySlice<Substring>) {
        guard let first = names.first else { return }
        let name = String(first)
        let model = managedClass.model
        if let position = model.properties.firstIndex(where: { $0.name == name }) {
            let column = managedClass.columns[position]
            add(column: column)
            if names.count == 1 { return }
            guard managedClass.leadsToOneClass(column) else { stopForUnknown(names.dropFirst()) }
            branch(.links(column: column), to: managedClass.linkTarget(column: column))
                .add(names.dropFirst())
        } else if let (target, column) = referrers(named: name) {
            branch(.referrers(column: column), to: target).add(names.dropFirst())
        } else {
            stopForUnknown(names)
        }
    }

    /// Returns the class and the column of the links that a property of linking objects mirrors.
    private func referrers(named name: String) -> (origin: ManagedClass, column: Int)? {
        guard let property = declaring[name], let type = property.shape.linkedClass else {
            return nil
        }
        let origin = managedClass.realm.managedClass(for: type)
        let position = property.linkOriginPropertyName.flatMap(origin.model.position(ofStored:))
        return position.map { (origin, origin.columns[$0]) }
    }

    /// The class that says which properties are linking objects. The file does not, so for objects
    /// that are accessed by names their class does, if the Realm has it.
    private var declaring: ClassModel {
        let model = managedClass.model
        return model.hasStorage ? model : managedClass.realm.schema[model.name] ?? model
    }

    private func stopForUnknown(_ names: ArraySlice<Substring>) -> Never {
        stop(
            "Invalid property name: property '\(names.first ?? "")' not found in object of type "
                + "'\(managedClass.model.name)'")
    }

    /// Returns what is observed behind a hop.
    func branch(_ hop: Branch.Hop, to target: ManagedClass) -> ObservedClass {
        let known = branches.first { branch in
            switch (branch.hop, hop) {
            case (.links(let left), .links(let right)): left == right
            case (.referrers(let left), .referrers(let right)):
                left == right && branch.target.managedClass === target
            case (.links, _), (.referrers, _), (.mixedLinks, _): false
            }
        }
        if let known { return known.target }
        let observed = ObservedClass(target, columns: [])
        branches.append(Branch(hop: hop, target: observed))
        return observed
    }
}
