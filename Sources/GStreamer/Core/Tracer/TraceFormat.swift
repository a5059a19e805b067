import CGStreamer

/// Name and fields of a kind of span or event that GStreamer passes to tracers.
///
/// Requires GStreamer 1.30; the plugin looks up the functions at run time. Any thread may call the methods. Except
/// `init`, the methods neither block nor allocate. The corresponding C type is `GstTraceFormat`.
public struct TraceFormat: Sendable {
    /// The field in addition to `running-time`.
    public enum Detail: Sendable {
        /// No further field.
        case none
        /// `value`, an `Int64`.
        case number
        /// `reason`, a text.
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
        // The pointer and the number are at the same offset in the union.
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

    /// Whether a tracer of GStreamer or another plugin exists; it may receive spans.
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
