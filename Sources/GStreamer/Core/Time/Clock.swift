import CGStreamer

/// A clock that runs by a source of time of its own, such as a sound card or a server.
///
/// It waits as the clock of the system does. Any thread may call it. The corresponding C class is `GstSystemClock`.
public protocol Clock: AnyObject, Object, Sendable {
    /// Makes the Swift half of a new clock.
    init()

    /// The time that the source shows now; it must never go back. Must not wait.
    ///
    /// The corresponding C method is `get_internal_time`.
    var internalTime: Duration { get }
}

/// A clock, and the Swift object that runs it.
public struct OwnClock<C: Clock>: Sendable {
    /// The Swift object.
    public let clock: C
    /// The clock as elements use it.
    public let reference: ClockReference

    /// A new clock; nil when its type name is taken.
    ///
    /// `name` is shown to the user when the pipeline chooses the clock.
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
