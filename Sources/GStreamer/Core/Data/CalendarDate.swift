import CGStreamer

/// A date without a time of day; the month and the day may be unknown.
///
/// The corresponding C type is `GstDateTime`.
public struct CalendarDate: Sendable, Equatable {
    /// The year, 1 to 9999.
    public var year: Int32
    /// The month, 1 to 12; nil if only the year is known.
    public var month: Int32?
    /// The day of the month; nil if it is unknown.
    public var day: Int32?

    /// Creates a date; `day` is ignored if `month` is nil.
    ///
    /// A date that does not exist, such as 30 February, is not passed to GStreamer.
    public init(year: Int32, month: Int32? = nil, day: Int32? = nil) {
        (self.year, self.month, self.day) = (year, month, month == nil ? nil : day)
    }

    /// Converts a `GstDateTime`; nil if it has no year, or if it has a time of day.
    init?(_ raw: OpaquePointer) {
        guard gst_date_time_has_year(raw) != 0, gst_date_time_has_time(raw) == 0 else { return nil }
        self.init(
            year: gst_date_time_get_year(raw),
            month: gst_date_time_has_month(raw) != 0 ? gst_date_time_get_month(raw) : nil,
            day: gst_date_time_has_day(raw) != 0 ? gst_date_time_get_day(raw) : nil)
    }

    /// Whether the date exists in the calendar; GStreamer logs a critical message for an invalid date.
    var isValid: Bool {
        guard (1...9999).contains(year), (1...12).contains(month ?? 1) else { return false }
        guard let month, let day else { return true }
        guard (1...31).contains(day) else { return false }
        return g_date_valid_dmy(GDateDay(day), GDateMonth(UInt32(month)), GDateYear(year)) != 0
    }

    /// A new `GstDateTime` (transfer full) of a valid date.
    func makeRaw() -> OpaquePointer? { gst_date_time_new_ymd(year, month ?? -1, day ?? -1) }
}
