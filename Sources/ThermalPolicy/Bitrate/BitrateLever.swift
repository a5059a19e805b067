extension BitrateController {
    /// One value of an encoder, in its unit, that can be lowered and restored exactly.
    public struct Lever: Sendable, Equatable {
        /// Whether the value is rounded down to a whole number, because most encoders accept no other.
        public let isWhole: Bool
        /// Value to restore.
        private var ceiling: Double?
        /// Full value, of which a share is written.
        private var full = 0.0
        /// Lower value that replaces the value of the user; nil if the value of the user is in effect.
        public private(set) var asked: Double?

        /// Creates a lever that lowers nothing.
        public init(isWhole: Bool = true) { self.isWhole = isWhole }

        /// Whether a lower value replaces the value of the user.
        public var isHeld: Bool { asked != nil }

        /// Value of the user while `present` is in effect; `isUsers` is true if the user has just set `present`.
        public func userValue(present: Double, isUsers: Bool) -> Double {
            isUsers ? present : isHeld ? ceiling ?? present : present
        }

        /// Value to write for `share` while `present` is in effect; nil if nothing is to be written.
        ///
        /// Encoders round values, so `present` may differ from the last write; `isUsers` shows that the user set it.
        /// `own` is the full value if the encoder selects it; without `own`, a value of 0 stays. `automatic` is the value
        /// that makes the encoder select its bitrate.
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
                self = Lever(isWhole: isWhole)
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
}

/// Properties of one encoder that determine its bitrate, read at one time.
public struct EncoderReading: Sendable, Equatable {
    /// A writable property.
    public enum Property: Sendable, Hashable {
        /// The bitrate, and the bits per pixel from which it is computed.
        case bitrate, bitsPerPixel
        /// A limit that changes with the bitrate, by its index in `EncoderProfile.companions`.
        case companion(Int)
    }

    /// Bitrate in the unit of the encoder; nil if unknown.
    public var bitrate: Double?
    /// Bitrate in effect, which a driver may have rounded.
    public var actualBitrate: Double?
    /// Values of `EncoderProfile.companions`; nil for a missing property.
    public var companions: [Double?] = []
    /// Bits per pixel from which the encoder computes its bitrate; nil if it has no such property.
    public var bitsPerPixel: Double?
    /// Properties that the application has set since the last reading.
    public var setByUser: Set<Property> = []
    /// Output since the start of the encoder.
    public var output = EncodedAmount()
    /// Frames that have entered the encoder; nil if they cannot be counted.
    public var framesIn: UInt64?

    public init() {}
}

/// One value to write to an encoder.
public struct EncoderWrite: Sendable, Equatable {
    /// The property.
    public let property: EncoderReading.Property
    /// The value, in the unit of the encoder.
    public let value: Double
    /// Whether the value replaces the value of the user; false if it restores the value of the user.
    public let isHeld: Bool
    /// Whether the write replaces a value that the user has set, and not an earlier lower value.
    public var replacesUsers = false
}
