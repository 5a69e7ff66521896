import Foundation
import RealmSwift
import Testing

// The guide's samples about collections and links, unchanged.

private enum GuideCollectionSample {
    final class Ingredient: Object {
        @Persisted var name: String
        @Persisted var grams: Int
    }

    final class Recipe: Object {
        @Persisted var title: String
        @Persisted var steps: List<String>
        @Persisted var tags: MutableSet<String>
        @Persisted var amounts: Map<String, Double>
        @Persisted var uses: List<Ingredient>
    }

    final class Dog: Object {
        @Persisted var name: String
        @Persisted var owner: Person?
        @Persisted(originProperty: "pets") var inHouseholds: LinkingObjects<Household>
    }

    final class Person: Object {
        @Persisted var name: String
    }

    final class Household: Object {
        @Persisted var pets: List<Dog>
        @Persisted var address: Address?
    }

    final class Address: EmbeddedObject {
        @Persisted var street: String
        @Persisted var city: String
    }
}

@Suite struct GuideCollectionTests {
    @Test func collections() throws {
        let realm = try temporaryRealm([
            GuideCollectionSample.Recipe.self, GuideCollectionSample.Ingredient.self,
        ])
        let recipe = GuideCollectionSample.Recipe()
        let rice = GuideCollectionSample.Ingredient(value: ["name": "rice", "grams": 200])
        try realm.write { realm.add(recipe) }

        try realm.write {
            recipe.steps.append("Boil the water")
            recipe.steps.insert("Wash the rice", at: 0)
            recipe.tags.insert("simple")
            recipe.amounts["rice"] = 0.2
            recipe.uses.append(rice)
        }

        let large = recipe.uses.where { $0.grams > 100 }
        let grams: Int = recipe.uses.sum(of: \.grams)
        let longest = recipe.steps.sorted(ascending: false).first

        #expect(large.count == 1 && grams == 200 && longest == "Wash the rice")
        #expect(recipe.amounts["rice"] == 0.2 && recipe.tags.contains("simple"))
        try GuideSamples(page: "collections.md").expectAll()
    }

    @Test func links() throws {
        typealias Dog = GuideCollectionSample.Dog
        typealias Household = GuideCollectionSample.Household
        typealias Address = GuideCollectionSample.Address
        let realm = try temporaryRealm([
            Dog.self, GuideCollectionSample.Person.self, Household.self, Address.self,
        ])
        let rex = Dog(value: ["name": "Rex", "owner": ["name": "Ada"]])
        try realm.write { realm.add(rex) }

        try realm.write {
            let household = realm.create(Household.self)
            household.pets.append(rex)
            household.address = Address(value: ["street": "1 Main Street", "city": "York"])
        }

        let households = rex.inHouseholds
        print(households.count, households.first?.address?.city ?? "unknown")

        let dogs = realm.objects(Dog.self).where { $0.owner.name == "Ada" }

        #expect(dogs.count == 1 && households.first?.address?.city == "York")
        try GuideSamples(page: "links.md").expectAll()
    }
}
