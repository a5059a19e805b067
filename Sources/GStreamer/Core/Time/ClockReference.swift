import CGStreamer

/// A reference to a clock.
///
/// Any thread may use the reference. The corresponding C type is `GstClock`.
public final class ClockReference: @unchecked Sendable {  // GstClock is thread-safe.
    let raw: UnsafeMutablePointer<GstClock>

    init(taking raw: UnsafeMutablePointer<GstClock>) { self.raw = raw }

    deinit { gst_object_unref(raw) }

    /// The clock with a new reference (transfer full).
    func retainedRaw() -> UnsafeMutablePointer<GstClock> {
        gst_object_ref(raw)
        return raw
    }

    /// The system clock, which is monotonic.
    ///
    /// The corresponding C function is `gst_system_clock_obtain`.
    public static var system: ClockReference { ClockReference(taking: gst_system_clock_obtain()) }

    /// The current time; nil if the clock has none.
    ///
    /// The corresponding C function is `gst_clock_get_time`.
    public var time: Duration? { Duration(gst_clock_get_time(raw)) }

    /// The current time without calibration; nil if the clock has none.
    ///
    /// The corresponding C function is `gst_clock_get_internal_time`.
    public var internalTime: Duration? { Duration(gst_clock_get_internal_time(raw)) }

    /// Calibrates the clock: its time is `time` at `internalTime`, and advances at `rate`.
    ///
    /// `rate` is the number of seconds of the clock per second of internal time. A rate that is not between 0 and 1000
    /// is ignored. The corresponding C function is `gst_clock_set_calibration`.
    public func calibrate(at internalTime: Duration, to time: Duration, rate: Double) {
        let scale = 1_000_000_000.0
        guard rate.isFinite, rate > 0, rate < 1000 else { return }
        gst_clock_set_calibration(
            raw, GstClockTime(internalTime), GstClockTime(time), GstClockTime(rate * scale), GstClockTime(scale))
    }

    /// The relation between the internal time and the time of the clock.
    ///
    /// The corresponding C function is `gst_clock_get_calibration`.
    public var calibration: ClockCalibration {
        var (internalTime, time, numerator, denominator): (GstClockTime, GstClockTime, GstClockTime, GstClockTime)
        (internalTime, time, numerator, denominator) = (0, 0, 1, 1)
        gst_clock_get_calibration(raw, &internalTime, &time, &numerator, &denominator)
        return ClockCalibration(
            internalTime: Duration(internalTime) ?? .zero, time: Duration(time) ?? .zero,
            rate: denominator == 0 ? 1 : Double(numerator) / Double(denominator))
    }

    /// The object name, which applications print when the pipeline selects the clock.
    public var name: String { GStreamer.name(of: raw) }

    /// Address of the clock, for comparison only.
    public var identity: UInt { UInt(bitPattern: raw) }
}

extension ElementHost {
    /// The clock of the pipeline; nil before PLAYING.
    ///
    /// The corresponding C function is `gst_element_get_clock`.
    public var clock: ClockReference? {
        withUnsafePointer { gst_element_get_clock($0).map { ClockReference(taking: $0) } } ?? nil
    }

    /// The time of the clock at which the running time is 0; nil if the element no longer exists.
    ///
    /// The corresponding C function is `gst_element_get_base_time`.
    public var baseTime: Duration? { withUnsafePointer { Duration(gst_element_get_base_time($0)) } ?? nil }

    /// Declares that the element can provide a clock; call this method in `init`.
    ///
    /// See `ConcurrentElement.provideClock`.
    ///
    /// The corresponding C constant is `GST_ELEMENT_FLAG_PROVIDE_CLOCK`.
    public func setProvidesClock() {
        withUnsafePointer { cgst_object_set_flag($0, GST_ELEMENT_FLAG_PROVIDE_CLOCK.rawValue) }
    }

    /// Posts a CLOCK_PROVIDE message: the element can provide `clock` from now on.
    ///
    /// The pipeline selects a clock again at its next change to PLAYING. The corresponding C function is
    /// `gst_message_new_clock_provide`.
    public func postClockProvided(_ clock: ClockReference) {
        post { gst_message_new_clock_provide($0, clock.raw, 1) }
    }

    /// Posts a CLOCK_LOST message: the element no longer provides `clock`.
    ///
    /// The application then sets the pipeline to PAUSED and PLAYING, so that the pipeline selects another clock. The
    /// corresponding C function is `gst_message_new_clock_lost`.
    public func postClockLost(_ clock: ClockReference) {
        post { gst_message_new_clock_lost($0, clock.raw) }
    }
}
