/// Fixed caps of raw video, reduced to the fields that the policy uses.
public struct VideoCaps: Sendable, Equatable {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    /// Frame rate; nil if it is variable.
    public var rate: FrameRate?
    /// Whether frames have two fields.
    public var isInterlaced: Bool
    /// Whether each buffer is one field (`interlace-mode=alternate`), so that single buffers cannot be dropped.
    public var isFields: Bool
    /// Whether a scaler accepts the caps: whole frames in system memory.
    public var isScalable: Bool

    /// Creates caps from their parts.
    public init(
        width: Int, height: Int, rate: FrameRate?, isInterlaced: Bool = false, isFields: Bool = false,
        isScalable: Bool = true
    ) {
        self.width = width
        self.height = height
        self.rate = rate
        self.isInterlaced = isInterlaced
        self.isFields = isFields
        self.isScalable = isScalable
    }

    var shortSide: Int { min(width, height) }
    var longSide: Int { max(width, height) }

    /// Pixels per second; a variable frame rate counts as 30 frames per second.
    public var pixelsPerSecond: Double { Double(width) * Double(height) * (rate?.perSecond ?? 30) }

    /// Whether `other` has the size of these caps, and also their rate if they have one.
    func matches(_ other: VideoCaps) -> Bool {
        width == other.width && height == other.height && (rate == nil || rate == other.rate)
    }

    /// Caps in the notation of `gst-launch-1.0`.
    public var text: String {
        let size = "video/x-raw, width=(int)\(width), height=(int)\(height)"
        guard let rate else { return size }
        return size + ", framerate=(fraction)\(rate.numerator)/\(rate.denominator)"
    }
}
