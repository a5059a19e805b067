/// Caps that are not fixed: ranges of widths, heights and rates.
public struct CapsRange: Sendable, Equatable {
    /// A range of integers with a step.
    public struct Sides: Sendable, Equatable {
        let least, step: Int
        /// The last value of the range.
        public let most: Int

        /// Creates the positive multiples of `step` within `range`, whose bounds are 32-bit numbers.
        public init(_ range: ClosedRange<Int>, step: Int = 1) {
            least = max(1, range.lowerBound)
            most = range.upperBound
            self.step = max(1, step)
        }

        func contains(_ side: Int) -> Bool { (least...max(least, most)).contains(side) && side <= most && onStep(side) }

        /// Smallest member that is not below `side`.
        func up(from side: Int) -> Int? {
            let start = max(side, least)
            let found = start + ((step - (start % step)) % step)
            return found <= most ? found : nil
        }

        /// Largest member that is not above `side`.
        func down(from side: Int) -> Int? {
            let start = min(side, most)
            let found = start - (start % step)
            return found >= least ? found : nil
        }

        /// The first 32 members from `low` upward, and the first 32 from `high` downward.
        func members(from low: Int, to high: Int) -> [Int] {
            let few = 32
            let up = up(from: low).map { start in (0..<few).map { start + ($0 * step) } } ?? []
            let down = down(from: high).map { start in (0..<few).map { start - ($0 * step) } } ?? []
            return (up + down).filter { (max(low, least)...max(low, least, high)).contains($0) && $0 <= most }
        }

        private func onStep(_ side: Int) -> Bool { least == most || side.isMultiple(of: step) }
    }

    /// Possible widths.
    public var widths: [Sides]
    /// Possible heights.
    public var heights: [Sides]
    /// Possible rates; empty if the caps have no rate.
    public var rates: [ClosedRange<FrameRate>]

    /// Creates a range from its parts.
    public init(widths: [Sides], heights: [Sides], rates: [ClosedRange<FrameRate>]) {
        self.widths = widths
        self.heights = heights
        self.rates = rates
    }

    /// Caps with the fewest pixels per second from which `target` can be made; nil if no offer is below `full`.
    ///
    /// A camera without 854x480 at 13 frames per second may offer 1280x720 at 15, which `thermalcaps` then scales. The
    /// aspect ratio is that of `full`, the caps without a request.
    public static func cheapest(_ offers: [CapsRange], target: VideoCaps, full: VideoCaps) -> VideoCaps? {
        var best: VideoCaps?
        for offer in offers {
            let rate = offer.rate(target: target.rate, full: full.rate)
            if full.rate != nil, rate == nil { continue }
            for (width, height) in offer.sizes(from: target, to: full, shapedLike: full, closest) {
                let caps = VideoCaps(width: width, height: height, rate: rate, isInterlaced: full.isInterlaced)
                if caps.pixelsPerSecond < (best ?? full).pixelsPerSecond { best = caps }
            }
        }
        return best
    }

    /// Caps nearest to `target` that are smaller than `full`, with the aspect ratio of `full` and the rate of `target`.
    ///
    /// The result has at most as many pixels as `target` if the offers permit it; if not, it has as few as possible.
    public static func nearest(_ offers: [CapsRange], target: VideoCaps, full: VideoCaps) -> VideoCaps? {
        let least = VideoCaps(width: 1, height: 1, rate: nil, isInterlaced: full.isInterlaced)
        func sizes(_ low: VideoCaps, _ high: VideoCaps, _ tolerance: Double) -> [(Int, Int)] {
            offers.flatMap { $0.sizes(from: low, to: high, shapedLike: full, tolerance) }
                .filter { $0.0 < full.width || $0.1 < full.height }
        }
        func caps(_ size: (Int, Int)) -> VideoCaps {
            VideoCaps(width: size.0, height: size.1, rate: target.rate, isInterlaced: full.isInterlaced)
        }
        for tolerance in [closest, loosest] {
            let below = sizes(least, target, tolerance)
            if let most = below.max(by: { $0.0 * $0.1 < $1.0 * $1.1 }) { return caps(most) }
        }
        for tolerance in [closest, loosest] {
            let above = sizes(target, full, tolerance)
            if let fewest = above.min(by: { $0.0 * $0.1 < $1.0 * $1.1 }) { return caps(fewest) }
        }
        return nil
    }

    /// Tolerances of the aspect ratio: for 16:9, `closest` accepts 848x480, and `loosest` also accepts 416x240.
    private static let (closest, loosest) = (0.01, 0.05)

    /// Offered sizes from `low` to `high` with the aspect ratio of `full`; tries only sides near `low` or `high`.
    private func sizes(
        from low: VideoCaps, to high: VideoCaps, shapedLike full: VideoCaps, _ tolerance: Double
    ) -> [(Int, Int)] {
        guard full.width > 0, full.height > 0 else { return [] }
        let shape = Double(full.width) / Double(full.height)
        var found: [(Int, Int)] = []
        func consider(_ width: Int, _ height: Int) {
            guard low.width <= width, width <= high.width, low.height <= height, height <= high.height,
                widths.contains(where: { $0.contains(width) }), heights.contains(where: { $0.contains(height) }),
                !full.isInterlaced || height.isMultiple(of: 4),
                abs(Double(width) / Double(height) - shape) <= shape * tolerance
            else { return }
            found.append((width, height))
        }
        func around(_ side: Double, _ sides: [Sides]) -> [Int] {
            sides.flatMap { [$0.down(from: Int(side.rounded(.up))), $0.up(from: Int(side))] }.compactMap { $0 }
        }
        consider(low.width, low.height)
        consider(high.width, high.height)
        for width in widths.flatMap({ $0.members(from: low.width, to: high.width) }) {
            for height in around(Double(width) / shape, heights) { consider(width, height) }
        }
        for height in heights.flatMap({ $0.members(from: low.height, to: high.height) }) {
            for width in around(Double(height) * shape, widths) { consider(width, height) }
        }
        return found
    }

    private func rate(target: FrameRate?, full: FrameRate?) -> FrameRate? {
        guard let full, let target else { return nil }
        guard !rates.isEmpty else { return full }
        return rates.compactMap { $0.upperBound < target ? nil : max($0.lowerBound, target) }.filter { $0 <= full }
            .min()
    }
}
