/// A value that was read, with the damage that did not prevent it.
public struct Stored<Value: Equatable & Sendable>: Equatable, Sendable {
    /// All that could be read.
    public var value: Value
    /// The part that could not be read, for a warning; nil if there is none.
    public var damage: StoreError?

    /// A value with its damage.
    public init(value: Value, damage: StoreError? = nil) {
        self.value = value
        self.damage = damage
    }
}
