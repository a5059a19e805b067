/// What an encoder is to make: a share of its bitrate, for so many pixels a second.
///
/// A smaller or slower picture needs less bitrate for the same quality, but not in proportion: small pictures have more
/// detail in each pixel. Encoding guides scale the bitrate with the power 0.75 of the pixels, after Ben Waggoner's rule
/// of thumb. The targets of WebRTC's `simulcast.cc` lie around it: from 1920x1080 to 1280x720 they fall with the power
/// 0.58, to 480x270 with 0.88.
public struct BitrateOrder: Sendable, Equatable {
    /// The share that the step leaves, of what the user set; the bitrate may be less, for fewer pixels.
    public var share: Double
    /// What there is to encode.
    public var pixelsPerSecond: Double
    /// What there is to encode on a cool machine; nil when the share is exact, whatever the pixels.
    public var fullPixelsPerSecond: Double?

    /// Fewer pixels alone never lower a bitrate below this: the least that WebRTC gives to any video.
    public static let leastBitsPerSecond = 30_000.0

    public init(share: Double, pixelsPerSecond: Double, fullPixelsPerSecond: Double? = nil) {
        self.share = share
        self.pixelsPerSecond = pixelsPerSecond
        self.fullPixelsPerSecond = fullPixelsPerSecond
    }

    /// The full bitrate, of whatever there is to encode.
    public static let nothingTaken = BitrateOrder(share: 1, pixelsPerSecond: 0)

    /// Whether there is less to encode than on a cool machine, so that the bitrate falls even with a share of 1.
    public var hasFewerPixels: Bool { fullPixelsPerSecond.map { pixelsPerSecond > 0 && pixelsPerSecond < $0 } ?? false }

    /// The share of a bitrate that was set for the full pixels.
    ///
    /// The smaller of the step's share and of `(pixels / full pixels)^0.75`.
    public func share(ofBitsPerSecond full: Double) -> Double {
        guard let fullPixelsPerSecond, fullPixelsPerSecond > 0, pixelsPerSecond > 0, full > 0 else { return share }
        let pixels = min(1, pixelsPerSecond / fullPixelsPerSecond)
        // x^0.75, without a library.
        let byPixels = (pixels * pixels * pixels).squareRoot().squareRoot()
        return min(share, max(byPixels, min(1, Self.leastBitsPerSecond / full)))
    }
}
