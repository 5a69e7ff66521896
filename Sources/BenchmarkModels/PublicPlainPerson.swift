/// A public class without a database, in another module than the code that reads it; the control of
/// ``PublicPerson``.
public final class PublicPlainPerson {
    public var age: Int

    public init(age: Int) { self.age = age }

    public static func many(_ count: Int, age: Int) -> [PublicPlainPerson] {
        (0..<count).map { _ in PublicPlainPerson(age: age) }
    }
}
