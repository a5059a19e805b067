/// Pictures that can be had: of any of these widths and heights, at any of these rates.
public struct SourceOffer: Sendable, Equatable {
    /// Numbers of pixels from the least to the most, in steps.
    public struct Sides: Sendable, Equatable {
        let least, most, step: Int

        /// Both ends are whole steps; 1 to 2^31 - 1 is what caps can hold.
        public init(_ range: ClosedRange<Int>, step: Int = 1) {
            least = max(1, range.lowerBound)
            most = range.upperBound
            self.step = max(1, step)
        }

        func contains(_ side: Int) -> Bool { (least...max(least, most)).contains(side) && side <= most && onStep(side) }

        /// The least that is not below `side`.
        func up(from side: Int) -> Int? {
            let start = max(side, least)
            let found = start + ((step - (start % step)) % step)
            return found <= most ? found : nil
        }

        /// The most that is not above `side`.
        func down(from side: Int) -> Int? {
            let start = min(side, most)
            let found = start - (start % step)
            return found >= least ? found : nil
        }

        /// The first few on the way up, and on the way down.
        func members(from low: Int, to high: Int) -> [Int] {
            let few = 32
            let up = up(from: low).map { start in (0..<few).map { start + ($0 * step) } } ?? []
            let down = down(from: high).map { start in (0..<few).map { start - ($0 * step) } } ?? []
            return (up + down).filter { (max(low, least)...max(low, least, high)).contains($0) && $0 <= most }
        }

        private func onStep(_ side: Int) -> Bool { least == most || side.isMultiple(of: step) }
    }

    public var widths: [Sides]
    public var heights: [Sides]
    /// Empty where nothing is said about rates.
    public var rates: [ClosedRange<FrameRate>]

    public init(widths: [Sides], heights: [Sides], rates: [ClosedRange<FrameRate>]) {
        self.widths = widths
        self.heights = heights
        self.rates = rates
    }

    /// Of all that is offered, the fewest pixels in a second that can still become `target`.
    ///
    /// A camera that has no 854x480 at 13 frames is asked for 1280x720 at 15, and the rest is done behind it. Nil when
    /// nothing is between `target` and `full`, what the source makes by itself; the shape is always that of `full`.
    public static func cheapest(_ offers: [SourceOffer], target: Picture, full: Picture) -> Picture? {
        var best: Picture?
        for offer in offers {
            let rate = offer.rate(target: target.rate, full: full.rate)
            if full.rate != nil, rate == nil { continue }
            for (width, height) in offer.sizes(from: target, to: full, shapedLike: full, closest) {
                let picture = Picture(width: width, height: height, rate: rate, isInterlaced: full.isInterlaced)
                if picture.cost < best?.cost ?? full.cost { best = picture }
            }
        }
        return best
    }

    /// Of all that is offered, the most pixels that are no more than `target`, or else the fewest that are more, shaped
    /// like `full` and smaller, at the rate of `target`.
    public static func nearest(_ offers: [SourceOffer], target: Picture, full: Picture) -> Picture? {
        let least = Picture(width: 1, height: 1, rate: nil, isInterlaced: full.isInterlaced)
        func sizes(_ low: Picture, _ high: Picture, _ tolerance: Double) -> [(Int, Int)] {
            offers.flatMap { $0.sizes(from: low, to: high, shapedLike: full, tolerance) }
                .filter { $0.0 < full.width || $0.1 < full.height }
        }
        func picture(_ size: (Int, Int)) -> Picture {
            Picture(width: size.0, height: size.1, rate: target.rate, isInterlaced: full.isInterlaced)
        }
        for tolerance in [closest, loosest] {
            let below = sizes(least, target, tolerance)
            if let most = below.max(by: { $0.0 * $0.1 < $1.0 * $1.1 }) { return picture(most) }
        }
        for tolerance in [closest, loosest] {
            let above = sizes(target, full, tolerance)
            if let fewest = above.min(by: { $0.0 * $0.1 < $1.0 * $1.1 }) { return picture(fewest) }
        }
        return nil
    }

    /// How far a shape may be off, so that 848x480 is taken for 16:9; and where only whole blocks can be had, 416x240.
    private static let (closest, loosest) = (0.01, 0.05)

    /// The sizes between two that are nearest to one end in either side.
    private func sizes(
        from low: Picture, to high: Picture, shapedLike full: Picture, _ tolerance: Double
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

extension Picture {
    /// Pixels in a second, or in a frame where there is no rate.
    fileprivate var cost: Double { Double(width) * Double(height) * (rate?.perSecond ?? 1) }
}
