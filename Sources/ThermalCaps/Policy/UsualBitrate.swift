/// What an encoder makes while nobody holds it down.
public struct UsualBitrate: Sendable {
    private var start: EncodedAmount?
    private var pixels = 0.0
    /// Bits per second, and of how many pixels; nil until a second of stream has come out.
    private var found: (bits: Double, pixels: Double)?

    public init() {}

    /// So many `pixels` a second are being encoded.
    public mutating func look(_ amount: EncodedAmount, pixels: Double) {
        if pixels != self.pixels { start = nil }
        self.pixels = pixels
        let start = start ?? amount
        self.start = start
        guard amount.time - start.time >= .seconds(1), let bits = amount.bitrate(since: start) else { return }
        found = (bits, pixels)
        self.start = amount
    }

    /// What comes out now does not count.
    public mutating func pause() { start = nil }

    public var bitsPerSecond: Double? { found?.bits }

    /// What it would be for so many pixels a second, if it were the same for each.
    public func bitsPerSecond(pixels: Double) -> Double? {
        found.map { $0.pixels > 0 && pixels > 0 ? $0.bits * pixels / $0.pixels : $0.bits }
    }

    /// How many pixels there are now, by how many there were.
    public func pixelShare(_ pixels: Double) -> Double {
        guard let found, found.pixels > 0, pixels > 0 else { return 1 }
        return pixels / found.pixels
    }
}
