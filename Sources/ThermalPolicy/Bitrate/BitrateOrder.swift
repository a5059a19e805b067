/// Bitrate to set in an encoder, as a share of its full bitrate.
///
/// Fewer pixels per second require a lower bitrate for the same quality, but not in proportion, because small frames
/// have more detail per pixel. Encoding guides scale the bitrate with the power 0.75 of the pixels (Ben Waggoner's rule
/// of thumb). The targets in WebRTC's `simulcast.cc` agree: from 1920x1080 to 1280x720 they fall with the power 0.58,
/// to 480x270 with 0.88.
public struct BitrateOrder: Sendable, Equatable {
    /// Share of the bitrate that the present step leaves; fewer pixels may reduce the bitrate further.
    public var share: Double
    /// Pixels per second of the input.
    public var pixelsPerSecond: Double
    /// Pixels per second on a cool machine; nil if the share does not depend on the pixels.
    public var fullPixelsPerSecond: Double?

    /// Bitrate below which fewer pixels cause no further reduction: the minimum bitrate of WebRTC for any video.
    public static let leastBitsPerSecond = 30_000.0

    /// The full bitrate.
    public static let full = BitrateOrder(share: 1, pixelsPerSecond: 0)

    /// Whether there are fewer pixels than on a cool machine, which reduces the bitrate even with a share of 1.
    public var hasFewerPixels: Bool {
        fullPixelsPerSecond.map { pixelsPerSecond > 0 && pixelsPerSecond < $0 } ?? false
    }

    /// Share of `full`, the bitrate for the full pixels: the smaller of `share` and `(pixels / full pixels)^0.75`.
    public func share(ofBitsPerSecond full: Double) -> Double {
        guard let fullPixelsPerSecond, fullPixelsPerSecond > 0, pixelsPerSecond > 0, full > 0 else { return share }
        let pixels = min(1, pixelsPerSecond / fullPixelsPerSecond)
        // Computes x^0.75 without the C library.
        let byPixels = (pixels * pixels * pixels).squareRoot().squareRoot()
        return min(share, max(byPixels, min(1, Self.leastBitsPerSecond / full)))
    }
}
