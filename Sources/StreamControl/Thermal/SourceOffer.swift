/// Pictures a source can make: of any of these widths and heights, at any of these rates.
public struct SourceOffer: Sendable, Equatable {
    public var widths: [ClosedRange<Int>]
    public var heights: [ClosedRange<Int>]
    /// Empty where the source says nothing about rates.
    public var rates: [ClosedRange<FrameRate>]

    public init(widths: [ClosedRange<Int>], heights: [ClosedRange<Int>], rates: [ClosedRange<FrameRate>]) {
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
            for (width, height) in offer.sizes(target: target, full: full) {
                let picture = Picture(width: width, height: height, rate: rate, isInterlaced: full.isInterlaced)
                if picture.cost < best?.cost ?? full.cost { best = picture }
            }
        }
        return best
    }

    /// How far the shape may be off, so that 848x480 is taken for 16:9.
    private static let shapeTolerance = 0.01

    private func sizes(target: Picture, full: Picture) -> [(Int, Int)] {
        guard full.width > 0, full.height > 0 else { return [] }
        let shape = Double(full.width) / Double(full.height)
        var found: [(Int, Int)] = []
        func consider(_ width: Int, _ height: Int) {
            guard (target.width...max(target.width, full.width)).contains(width),
                (target.height...max(target.height, full.height)).contains(height),
                widths.contains(where: { $0.contains(width) }), heights.contains(where: { $0.contains(height) }),
                !full.isInterlaced || height.isMultiple(of: 4),
                abs(Double(width) / Double(height) - shape) <= shape * Self.shapeTolerance
            else { return }
            found.append((width, height))
        }
        consider(target.width, target.height)
        for width in widths.compactMap({ $0.least(from: target.width) }) {
            let height = (Double(width) / shape).rounded()
            for range in heights { consider(width, min(max(Int(height), range.lowerBound), range.upperBound)) }
        }
        for height in heights.compactMap({ $0.least(from: target.height) }) {
            let width = (Double(height) * shape).rounded()
            for range in widths { consider(min(max(Int(width), range.lowerBound), range.upperBound), height) }
        }
        return found
    }

    private func rate(target: FrameRate?, full: FrameRate?) -> FrameRate? {
        guard let full, let target else { return nil }
        guard !rates.isEmpty else { return full }
        return rates.compactMap { $0.least(from: target) }.filter { $0 <= full }.min()
    }
}

extension ClosedRange {
    /// The least of it that is not below `bound`.
    fileprivate func least(from bound: Bound) -> Bound? { upperBound < bound ? nil : Swift.max(lowerBound, bound) }
}

extension Picture {
    /// Pixels in a second, or in a frame where there is no rate.
    fileprivate var cost: Double { Double(width) * Double(height) * (rate?.perSecond ?? 1) }
}
