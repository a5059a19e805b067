/// One number of an encoder: its ceiling is what the user set, and goes back there exactly.
///
/// Values are in the encoder's own unit.
public struct BitrateLever: Sendable, Equatable {
    /// Fractions are no good to most encoders.
    public let isWhole: Bool
    /// What goes back.
    private var ceiling: Double?
    /// What a share is a share of.
    private var full = 0.0
    /// What was last asked for; nil when nothing is held.
    public private(set) var asked: Double?

    public init(isWhole: Bool = true) { self.isWhole = isWhole }

    /// Whether the encoder was given something else than what the user set.
    public var isHeld: Bool { asked != nil }

    /// What the user set, of an encoder that has `present`, which may be the user's as well.
    public func userValue(present: Double, isUsers: Bool) -> Double {
        isUsers ? present : isHeld ? ceiling ?? present : present
    }

    /// What to write for `share` when the encoder has `present`; nil to leave it as it is.
    ///
    /// Encoders round: another number than the one written is theirs, unless it `isUsers`, and then the new ceiling.
    /// `own` stands for the full value where the encoder chooses one, which the value `automatic` tells it to do;
    /// without it, 0 is left alone.
    public mutating func move(
        to share: Double, present: Double, isUsers: Bool = false, own: Double? = nil, automatic: Double? = nil
    ) -> Double? {
        if isUsers || asked == nil {
            ceiling = isUsers ? present : automatic ?? present
            asked = nil
        }
        guard let ceiling else { return nil }
        guard share < 1 else {
            let value = isHeld && ceiling != present ? ceiling : nil
            self = BitrateLever(isWhole: isWhole)
            return value
        }
        full = own ?? ceiling
        guard full > 0, full.isFinite else { return nil }
        let exact = full * max(share, 0.01)
        let value = isWhole ? max(1, min(exact * (1 + 1e-9), Double(Int32.max)).rounded(.down)) : exact
        guard value != asked else { return nil }
        asked = value
        return value == present ? nil : value
    }

    /// How much of the full value an encoder with `present` has; 1 when nothing is held.
    public func share(of present: Double) -> Double { isHeld && full > 0 ? min(1, present / full) : 1 }
}
