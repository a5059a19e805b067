import CGStreamer
import TestSupport

/// A pipeline from a launch line, with the messages on its bus.
public final class Pipeline: @unchecked Sendable {  // Pipelines and buses may be used from any thread.
    public let raw: RawElement
    private let bus: UnsafeMutablePointer<GstBus>

    public init(_ line: String) {
        _ = Setup.once
        raw = gst_parse_launch(line, nil)!
        gst_object_ref_sink(raw)
        bus = gst_element_get_bus(raw)!
    }

    /// Creates a bin outside of a pipeline, as an application may do, with a bus for its messages.
    public init(bin factory: String) {
        _ = Setup.once
        raw = gst_element_factory_make(factory, nil)!
        gst_object_ref_sink(raw)
        bus = gst_bus_new()!
        gst_element_set_bus(raw, bus)
    }

    deinit {
        gst_element_set_state(raw, GST_STATE_NULL)
        gst_object_unref(bus)
        gst_object_unref(raw)
    }

    public var bin: UnsafeMutablePointer<GstBin> { UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstBin.self) }

    // MARK: States and messages

    /// Sets a state and waits until it is reached; returns false if the state change fails.
    @discardableResult
    public func go(_ state: GstState) -> Bool {
        gst_element_set_state(raw, state)
        let result = gst_element_get_state(raw, nil, nil, GstClockTime(patience / .nanoseconds(1)))
        return result == GST_STATE_CHANGE_SUCCESS || result == GST_STATE_CHANGE_NO_PREROLL
    }

    /// Plays until EOS, an error or the end of `seconds`, and returns the messages in the form of `listen`.
    public func play(seconds: Double = patience / .seconds(1)) -> [String] {
        gst_element_set_state(raw, GST_STATE_PLAYING)
        return listen(seconds: seconds)
    }

    /// Waits for EOS or an error for at most `seconds`, and returns the messages: `warning: text`, `element:
    /// structure`, `eos`.
    ///
    /// With `details`, the debug text of a message follows its text.
    public func listen(seconds: Double = patience / .seconds(1), details: Bool = false) -> [String] {
        var posted: [String] = []
        let end = gst_util_get_timestamp() + GstClockTime(seconds * 1e9)
        while true {
            let now = gst_util_get_timestamp()
            guard let message = gst_bus_timed_pop(bus, end > now ? end - now : 0) else { return posted }
            defer { gst_message_unref(message) }
            if message.pointee.type == GST_MESSAGE_EOS { return posted + ["eos"] }
            guard let read = PostedMessage(message) else { continue }
            let debug = details ? read.debug.map { " " + $0 } : nil
            posted.append("\(read.type): \(read.text)\(debug ?? "")")
            if read.type == "error" { return posted }
        }
    }

    /// Plays to EOS or an error and returns the type of that message.
    public func playToTheEnd() -> GstMessageType {
        gst_element_set_state(raw, GST_STATE_PLAYING)
        let ends = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        guard let message = gst_bus_timed_pop_filtered(bus, GstClockTime(patience / .nanoseconds(1)), ends) else {
            return GST_MESSAGE_UNKNOWN
        }
        defer { gst_message_unref(message) }
        return message.pointee.type
    }

    /// Names of the element messages posted since the last call.
    public func elementMessages() -> [String] {
        var names: [String] = []
        while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT) {
            names.append(String(cString: gst_structure_get_name(gst_message_get_structure(message))))
            gst_message_unref(message)
        }
        return names
    }

    // MARK: Elements

    /// The element `name` (transfer none); the pipeline keeps a reference.
    public func element(_ name: String = "p") -> RawElement {
        let element = gst_bin_get_by_name(bin, name)!
        gst_object_unref(element)
        return element
    }

    /// Sets a property of the element `name` as `gst-launch-1.0` does.
    public func set(_ property: String, to value: String, of name: String = "p") {
        element(name).set(property, to: value)
    }

    /// A property of the element `name` as GStreamer serializes it.
    public func get(_ property: String, of name: String = "p") -> String { element(name).get(property) ?? "" }

    /// A number in the property `stats` of the element `name`; NaN if the field is absent.
    public func statistic(_ field: String, of name: String = "p") -> Double {
        let stats = get("stats", of: name)
        guard let label = stats.firstRange(of: " \(field)=(") else { return .nan }
        let value = stats[label.upperBound...].drop { $0 != ")" }.dropFirst()
        return Double(value.prefix { $0 != "," && $0 != ";" }) ?? .nan
    }
}
