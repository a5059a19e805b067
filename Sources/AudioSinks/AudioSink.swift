import Durations
public import GStreamer
import Threads

/// An audio sink that writes to the ring buffer of a device.
///
/// The device plays at its own rate. The sink's clock counts the played samples. Any thread may use the object. The
/// corresponding C class is `GstAudioBaseSink`.
public final class AudioSink: @unchecked Sendable {  // The class calls only functions that are MT safe.
    private let element: ElementReference
    /// Clock of the sink; nil until the sink has opened its device and negotiated.
    private let ownClock = Mutex<ClockReference?>(nil)

    /// The nearest audio sink downstream of `host`; nil if there is none, or if an element of `factory` is nearer.
    ///
    /// The call briefly locks each element downstream.
    public static func downstream(of host: ElementHost, notBehind factory: String) -> AudioSink? {
        for element in host.elementsDownstream() {
            if element.factory == factory { return nil }
            if element.isInstance(of: "GstAudioBaseSink") { return AudioSink(element) }
        }
        return nil
    }

    private init(_ element: ElementReference) {
        self.element = element
        hasSmoothedClock = element.factory == "pulsesink"
    }

    /// Whether the clock interpolates between reports of a sound server, which may be wrong for seconds.
    public let hasSmoothedClock: Bool

    private var clock: ClockReference? {
        ownClock.withLock { clock in
            if clock == nil { clock = element.provideClock() }
            return clock
        }
    }

    /// Name of the sink in its pipeline.
    public var name: String { element.name }

    /// Address of the sink, for comparison only.
    public var identity: UInt { element.identity }

    /// The negotiated format, with another of which the sink opens its device again; nil before the sink has one.
    public var format: Caps? { element.pad("sink")?.currentCaps }

    /// Whether the sink is an `alsasink` or a `pulsesink` with the default period of 10 ms and buffer of 200 ms.
    public var hasDefaultPeriod: Bool {
        ["alsasink", "pulsesink"].contains(element.factory) && element.number("latency-time") == Self.defaultPeriod
            && element.number("buffer-time") == Self.defaultBuffer
    }

    /// Makes the sink write to its device every 40 ms, from its next negotiation on.
    ///
    /// Each write wakes two threads, which causes most of a player's CPU load. The clocks of sinks with
    /// `hasDefaultPeriod` do not depend on the writes. The corresponding C property is `latency-time`.
    public func lengthenPeriod() { element.set("latency-time", to: 4 * Self.defaultPeriod) }

    /// Restores the default of `latency-time`.
    public func restorePeriod() { element.set("latency-time", to: Self.defaultPeriod) }

    /// Defaults of `latency-time` and `buffer-time` in microseconds.
    private static let defaultPeriod = 10_000.0, defaultBuffer = 200_000.0

    /// Sets the enumeration property `slave-method` to the value with the nick `nick`.
    ///
    /// With `none`, the sink places samples one after the other, without rate corrections.
    public func setSlaveMethod(_ nick: String) { element.set("slave-method", toText: nick) }

    /// The nick of the property `slave-method`.
    public var slaveMethod: String? { element.text("slave-method") }

    /// The latency of the pipeline; the sink adds it to the running time of each sample.
    public var latency: Duration { element.sinkLatency }

    /// Additional delay of each sample: `ts-offset` minus `render-delay`.
    public var offset: Duration { element.sinkOffset }

    /// Times of the clocks of the pipeline and of the device at one moment.
    public struct Reading: Sendable {
        /// Time of the pipeline's clock.
        public let pipeline: Duration
        /// Time of the device's clock with its calibration; a sample is played at its time on this clock.
        public let device: Duration
        /// Whether the sink has set the device's clock to the time of the pipeline's clock.
        public let isCalibrated: Bool
    }

    /// Reads both clocks; nil if the device does not run yet.
    public func read(_ pipeline: ClockReference) -> Reading? {
        guard let clock, let times = ClockReference.closest({ pipeline.time }, { clock.internalTime }) else {
            return nil
        }
        let calibration = clock.calibration
        return Reading(
            pipeline: times.one, device: times.other - calibration.internalTime + calibration.time,
            isCalibrated: calibration.time != .zero)
    }
}

extension ClockReference {
    /// Times of two clocks at nearly the same moment; nil if a clock has no time.
    ///
    /// Another thread may run between two reads, so the best of up to three readings is used.
    public static func closest(_ one: () -> Duration?, _ other: () -> Duration?) -> (one: Duration, other: Duration)? {
        var best: (gap: Duration, one: Duration, other: Duration)?
        for _ in 0..<3 {
            guard let before = one(), let time = other(), let after = one() else { return nil }
            let gap = after - before
            if best.map({ gap < $0.gap }) ?? true { best = (gap, before + gap / 2, time) }
            if gap < .microseconds(5) { break }
        }
        return best.map { ($0.one, $0.other) }
    }
}
