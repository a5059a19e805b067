extension ElementSnapshot.Level {
    enum Unit: String {
        case seconds = "s"
        case bytes = "B"
        case celsius = "°C"
        case none = ""
    }

    /// Unit of the level, from GStreamer's names for times in nanoseconds and for bytes.
    ///
    /// The `timestamp` of RTP has no unit here, because it is in the unit of the RTP clock.
    var unit: Unit {
        let name = detail.isEmpty ? name : detail
        if name.hasSuffix("-time") || name.hasPrefix("running-time-") || name.hasPrefix("npt-") { return .seconds }
        if name == "bytes" || name.hasSuffix("-bytes") || name.hasPrefix("bytes-") { return .bytes }
        return name == "temperature" || self.name == "temperature" ? .celsius : .none
    }

    /// Whether the value is the largest 64-bit number, such as GST_CLOCK_TIME_NONE, which stands for no value.
    public var isNone: Bool { value >= 0x1p64 }

    /// Value in its unit; nil if the element reports no value.
    var shown: Double? { isNone ? nil : scaled(value) }

    var shownLimit: Double? { limit.map(scaled) }

    private func scaled(_ value: Double) -> Double { unit == .seconds ? value * 1e-9 : value }
}
