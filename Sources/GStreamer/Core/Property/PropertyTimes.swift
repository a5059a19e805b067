import CGStreamer

extension Property {
    /// A property of type `guint64` in nanoseconds.
    public static func duration(
        _ name: String, in range: ClosedRange<Duration>, _ blurb: String, flags: PropertyFlags = Settings.defaultFlags,
        get: @escaping @Sendable (Settings) -> Duration, set: @escaping @Sendable (inout Settings, Duration) -> Void
    ) -> Self {
        uint64(
            name, in: UInt64(GstClockTime(range.lowerBound))...UInt64(GstClockTime(range.upperBound)), blurb,
            flags: flags, get: { UInt64(GstClockTime(get($0))) }, set: { set(&$0, .nanoseconds($1)) })
    }

    /// A property of type `guint64` in nanoseconds.
    public static func duration(
        _ name: String, _ field: Field<Duration>, in range: ClosedRange<Duration> = .zero ... .nanoseconds(UInt64.max),
        _ blurb: String,
        flags: PropertyFlags = Settings.defaultFlags
    ) -> Self {
        duration(name, in: range, blurb, flags: flags, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }
}
