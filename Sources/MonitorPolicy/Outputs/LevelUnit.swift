extension ElementSnapshot.Level {
    /// Unit of a level in outputs that name it.
    enum Unit: String {
        case seconds = "s"
        case bytes = "B"
        case celsius = "°C"
        case none = ""
    }

    /// The unit, by the names that GStreamer gives to times in nanoseconds, and to bytes.
    ///
    /// `timestamp` of RTP has the unit of its clock.
    var unit: Unit {
        let name = detail.isEmpty ? name : detail
        if name.hasSuffix("-time") || name.hasPrefix("running-time-") || name.hasPrefix("npt-") { return .seconds }
        if name == "bytes" || name.hasSuffix("-bytes") || name.hasPrefix("bytes-") { return .bytes }
        return name == "temperature" || self.name == "temperature" ? .celsius : .none
    }

    /// Whether the element has no value: GST_CLOCK_TIME_NONE, and the largest number of other fields of 64 bits.
    public var isNone: Bool { value >= 0x1p64 }

    /// The value in its unit; nil if the element has none.
    var shown: Double? { isNone ? nil : scaled(value) }

    /// The limit in the unit of the value.
    var shownLimit: Double? { limit.map(scaled) }

    private func scaled(_ value: Double) -> Double { unit == .seconds ? value * 1e-9 : value }
}
