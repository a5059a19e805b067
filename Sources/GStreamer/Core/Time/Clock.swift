import CGStreamer

/// A clock with its own time source, such as a sound card or a server.
///
/// The base class waits with the system clock. Any thread may call the methods. The corresponding C class is
/// `GstSystemClock`.
public protocol Clock: AnyObject, Object, Sendable {
    /// Creates the Swift object of a new clock.
    init()

    /// The current time of the source. The time must not decrease, and the getter must not block.
    ///
    /// The corresponding C method is `get_internal_time`.
    var internalTime: Duration { get }
}

/// A new clock and its Swift object.
public struct OwnClock<C: Clock>: Sendable {
    /// The Swift object of the clock.
    public let clock: C
    /// The clock for use by elements.
    public let reference: ClockReference

    /// Creates a clock; nil if its type name is registered by another plugin.
    ///
    /// `name` is the object name of the clock, which applications print when the pipeline selects the clock.
    public init?(_: C.Type, name: String) {
        let rows = C.Settings.properties
        let type = ObjectType.register(
            C.self, below: gst_system_clock_get_type(), rows: rows,
            initClass: { gClass in
                gClass.assumingMemoryBound(to: GstClockClass.self).pointee.get_internal_time = { clock in
                    lend(clock) { $0.internalTime }
                }
            }, makeInstance: { raw, type in ClockInstance<C>(raw, type, rows) })
        guard let type, let raw = g_object_new_with_properties(type, 0, nil, nil).map({ UnsafeMutableRawPointer($0) }),
            let instance = InstanceSlot.peek(raw) as? ClockInstance<C>
        else { return nil }
        gst_object_ref_sink(raw)
        gst_object_set_name(raw.assumingMemoryBound(to: GstObject.self), name)
        clock = instance.clock
        reference = ClockReference(taking: raw.assumingMemoryBound(to: GstClock.self))
    }
}

private final class ClockInstance<C: Clock>: Instance {
    let clock: C

    init(_ raw: UnsafeMutableRawPointer, _ type: ObjectType, _ rows: [Property<C.Settings>]) {
        clock = C()
        super.init(type, PropertyStoreOf(rows, host: ObjectHost(raw: raw), report: clock.report))
    }

    override var internalTime: GstClockTime { GstClockTime(clock.internalTime) }
}
