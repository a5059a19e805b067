import Durations

/// Measured latencies, and the number of frames whose latency is unknown.
public struct LatencyCounts: Sendable, Equatable {
    // Empty, or one histogram; copies share its storage until one of them changes it.
    private var histograms: [DurationHistogram] = []
    /// Number of frames whose latency is unknown.
    public var unknown: UInt64

    /// Creates counts; without arguments, empty ones.
    public init(histogram: DurationHistogram? = nil, unknown: UInt64 = 0) {
        if let histogram { histograms = [histogram] }
        self.unknown = unknown
    }

    /// Measured latencies.
    public var histogram: DurationHistogram {
        get { histograms.first ?? DurationHistogram() }
        _modify {
            if histograms.isEmpty { histograms = [DurationHistogram()] }
            yield &histograms[0]
        }
    }

    /// Share of the frames whose latency is known, 0 to 1; nil without frames.
    public var coverage: Double? {
        let known = Double(histogram.count)
        let asked = known + Double(unknown)
        return asked > 0 ? known / asked : nil
    }

    /// Adds the counts of another recorder, such as another pad of the element.
    public static func += (one: inout Self, other: Self) {
        if one.histograms.isEmpty {
            one.histograms = other.histograms
        } else if let histogram = other.histograms.first {
            one.histogram += histogram
        }
        one.unknown &+= other.unknown
    }

    /// Whether both have the same latencies, and the same number of unknown ones.
    public static func == (one: Self, other: Self) -> Bool {
        one.unknown == other.unknown && one.histogram == other.histogram
    }
}
