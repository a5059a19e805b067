import CGStreamer

/// Name and fields of one kind of spans or events, which GStreamer passes to tracers.
///
/// The type requires GStreamer 1.30; the plugin looks up its functions at run time. Any thread may call the methods.
/// Only `init` may block or allocate. The corresponding C type is `GstTraceFormat`.
public struct TraceFormat: Sendable {
    /// The field that the format has in addition to `running-time`.
    public enum Detail: Sendable {
        /// No further field.
        case none
        /// A field `value` of type `Int64`.
        case number
        /// A field `reason` with a text.
        case reason
    }

    /// Address of the C structure, which exists until `gst_deinit`.
    public let address: UInt

    /// A format that `init(_:_:)` has registered at this address.
    public init(unsafe address: UInt) { self.address = address }

    /// Registers a format; nil if GStreamer has no span API.
    ///
    /// The corresponding C function is `gst_trace_format_builder_register`.
    public init?(_ name: UnsafePointer<CChar>, _ detail: Detail) {
        guard let functions = Self.functions, var builder = functions.builder_new(name) else { return nil }
        func add(_ field: StaticString, _ type: Int) {
            builder =
                functions.builder_add_field(
                    builder, UnsafeRawPointer(field.utf8Start).assumingMemoryBound(to: CChar.self), gint(type))
                ?? builder
        }
        add("running-time", CGST_TRACE_FIELD_CLOCK_TIME)
        switch detail {
        case .none: break
        case .number: add("value", CGST_TRACE_FIELD_INT64)
        case .reason: add("reason", CGST_TRACE_FIELD_STRING)
        }
        guard let format = functions.builder_register(builder) else { return nil }
        address = UInt(bitPattern: format)
    }

    /// Begins a span at a running time in nanoseconds; returns its id, or 0 on failure.
    ///
    /// The corresponding C function is `gst_trace_span_begin`.
    public func begin(runningTime: UInt64) -> UInt64 {
        var value = CgstTraceValue()
        value.time = GstClockTime(runningTime)
        return UInt64(Self.functions?.span_begin(UnsafeMutableRawPointer(bitPattern: address), &value) ?? 0)
    }

    /// Ends a span, on any thread.
    ///
    /// The corresponding C function is `gst_trace_span_end`.
    public static func end(_ span: UInt64) { functions?.span_end(guint64(span)) }

    /// Emits an event.
    ///
    /// `detail` is the bit pattern of an `Int64`, or the address of a text that is never freed. The corresponding C
    /// function is `gst_trace_event`.
    public func mark(runningTime: UInt64, detail: UInt64) {
        var values = (CgstTraceValue(), CgstTraceValue())
        values.0.time = GstClockTime(runningTime)
        // A text has the same offset in the union as a number, so this also stores the address of a text.
        values.1.number = gint64(truncatingIfNeeded: detail)
        withUnsafePointer(to: &values) { values in
            UnsafeRawPointer(values).withMemoryRebound(to: CgstTraceValue.self, capacity: 2) {
                Self.functions?.event(UnsafeMutableRawPointer(bitPattern: address), $0)
            }
        }
    }

    // MARK: Tracers

    /// Whether GStreamer has the span API.
    public static var isAvailable: Bool { functions != nil }

    /// Whether there is a tracer of GStreamer or of another plugin, which may receive spans.
    ///
    /// `gst_init` creates the tracers. The corresponding C function is `gst_tracing_get_active_tracers`.
    public static var hasReceiver: Bool {
        var tracers = gst_tracing_get_active_tracers()
        var isFound = false
        while let tracer = tracers {
            if let raw = tracer.pointee.data {
                isFound = isFound || ObjectType.of(cgst_type_of_instance(raw)) == nil
                gst_object_unref(raw)
            }
            tracers = g_list_delete_link(tracer, tracer)
        }
        return isFound
    }

    private static let functions: CgstTraceFunctions? = {
        var functions = CgstTraceFunctions()
        return cgst_find_trace_functions(&functions) != 0 ? functions : nil
    }()
}
