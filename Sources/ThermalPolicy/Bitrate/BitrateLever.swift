/// One value of an encoder that can be lowered, and restored exactly.
///
/// Values are in the encoder's unit.
public struct BitrateLever: Sendable, Equatable {
    /// Whether the value is rounded to a whole number; most encoders accept no other.
    public let isWhole: Bool
    /// The value that is restored.
    private var ceiling: Double?
    /// The value of which a share is computed.
    private var full = 0.0
    /// The value that replaces the user's; nil if none does.
    public private(set) var asked: Double?

    /// Creates a lever that holds nothing.
    public init(isWhole: Bool = true) { self.isWhole = isWhole }

    /// Whether a lower value replaces the user's.
    public var isHeld: Bool { asked != nil }

    /// The user's value, given the value in effect; `isUsers` if the user has just set that.
    public func userValue(present: Double, isUsers: Bool) -> Double {
        isUsers ? present : isHeld ? ceiling ?? present : present
    }

    /// The value to write for `share` when `present` is in effect; nil if nothing is to be written.
    ///
    /// Encoders round values, so a value other than the last written one is the user's only if `isUsers`. `own` is the
    /// full value if the encoder selects it, and `automatic` the value that makes the encoder select it. If `own` is nil,
    /// a value of 0 is kept.
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

    /// `present` as a share of the full value; 1 if nothing is lowered.
    public func share(of present: Double) -> Double { isHeld && full > 0 ? min(1, present / full) : 1 }
}

/// The properties of one encoder that determine its bitrate, read at one time.
public struct EncoderReading: Sendable, Equatable {
    /// A property that can be written.
    public enum Property: Sendable, Hashable {
        /// The bitrate, and the bits per pixel from which it is computed.
        case bitrate, bitsPerPixel
        /// A limit that changes with the bitrate, by its index in the profile.
        case companion(Int)
    }

    /// In the encoder's unit; nil if it is unknown.
    public var bitrate: Double?
    /// The bitrate that is in effect: a driver may round it.
    public var actualBitrate: Double?
    /// Values of `EncoderProfile.companions`; nil for a missing property.
    public var companions: [Double?] = []
    /// Bits per pixel from which the encoder computes its bitrate; nil if it has no such property.
    public var bitsPerPixel: Double?
    /// Properties that the application has set since the last reading.
    public var setByUser: Set<Property> = []
    /// What the encoder has sent since its start.
    public var output = EncodedAmount()
    /// Frames that have entered the encoder; nil if they cannot be counted.
    public var framesIn: UInt64?

    public init() {}
}

/// One value to write to an encoder.
public struct EncoderWrite: Sendable, Equatable {
    /// The property.
    public let property: EncoderReading.Property
    /// The value, in the encoder's unit.
    public let value: Double
    /// Whether the value replaces the user's; false if it restores the user's value.
    public let isHeld: Bool
    /// Whether the value in effect before the write is the user's.
    public var replacesUsers = false
}
