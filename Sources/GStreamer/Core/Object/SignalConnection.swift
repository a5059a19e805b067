import CGStreamer
import Synchronization

/// Calls a closure for each emission of a signal of an element.
///
/// The closure runs on the thread that emits the signal, such as a streaming thread. The connection holds only a weak
/// reference to the element, and the closure does not receive the element. The corresponding C function is
/// `g_signal_connect_closure`.
public final class SignalConnection: Sendable {
    /// Returns the result of the signal; nil stands for no result, 0, false, NULL or `GST_FLOW_OK`.
    ///
    /// `arguments` does not contain the instance. An argument is nil if it is NULL or cannot be serialized.
    public typealias Handler = @Sendable (_ arguments: [Structure.Value?]) -> Structure.Value?

    private let element: WeakReference
    private let handler: gulong
    private let isConnected = Atomic(true)

    private final class Box: Sendable {
        let handler: Handler
        init(_ handler: @escaping Handler) { self.handler = handler }

        func call(_ values: UnsafeBufferPointer<GValue>, _ result: UnsafeMutablePointer<GValue>?) {
            let arguments = values.indices.dropFirst().map { index in
                withUnsafePointer(to: values[index]) { Structure.Value($0) }
            }
            guard let answer = handler(arguments), let result, var value = answer.makeValue() else { return }
            g_value_transform(&value, result)
            g_value_unset(&value)
        }
    }

    /// Connects until `disconnect` or until the connection is released; nil if the element has no signal `name`.
    ///
    /// `name` may have a detail, as in `notify::volume`.
    public init?(_ element: ElementReference, _ name: String, _ handler: @escaping Handler) {
        var (signal, detail): (guint, GQuark) = (0, 0)
        guard g_signal_parse_name(name, cgst_type_of_instance(element.raw), &signal, &detail, 1) != 0,
            let closure = g_closure_new_simple(
                guint(MemoryLayout<GClosure>.size), Unmanaged.passRetained(Box(handler)).toOpaque())
        else { return nil }
        g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
            guard let data = closure?.pointee.data, let values else { return }
            Unmanaged<Box>.fromOpaque(data).takeUnretainedValue()
                .call(UnsafeBufferPointer(start: values, count: Int(count)), result)
        }
        g_closure_add_finalize_notifier(closure, closure.pointee.data) { data, _ in
            if let data { Unmanaged<Box>.fromOpaque(data).release() }
        }
        self.element = WeakReference(element.raw)
        // The signal takes the floating reference of the closure.
        self.handler = g_signal_connect_closure_by_id(element.raw, signal, detail, closure, 0)
    }

    deinit { disconnect() }

    /// Ends the calls; a call that has begun on another thread may still run.
    ///
    /// Any thread may call this method.
    public func disconnect() {
        // Of several threads, only the first one disconnects; GLib reports a second disconnection as an error.
        guard isConnected.exchange(false, ordering: .relaxed) else { return }
        element.lend { g_signal_handler_disconnect($0, handler) }
    }
}

extension ElementReference {
    /// Emits the signal `name`, such as the action signal `try-pull-sample` of appsink.
    ///
    /// Returns the result of the signal; nil if it has none or it is NULL, if the element has no such signal, or if the
    /// arguments do not have the types of the signal. The corresponding C function is `g_signal_emitv`.
    @discardableResult
    public func emit(_ name: String, _ arguments: Structure.Value...) -> Structure.Value? {
        var values = arguments.map { $0.makeValue() ?? GValue() }
        return emit(name, &values)
    }

    /// Emits the signal `name` with `buffer`, such as the action signal `push-buffer` of appsrc, without copying it.
    ///
    /// Returns the result of the signal, if it is a `GstFlowReturn`; `FlowResult.error` otherwise.
    public func emit(_ name: String, _ buffer: consuming Buffer) -> FlowResult {
        var value = GValue()
        g_value_init(&value, gst_buffer_get_type())
        g_value_take_boxed(&value, buffer.give())
        var values = [value]
        return emit(name, &values) { result in
            guard g_type_is_a(result.pointee.g_type, cgst_type_enum()) != 0 else { return .error }
            return FlowResult(rawValue: g_value_get_enum(result))
        } ?? .error
    }

    private func emit(_ name: String, _ arguments: inout [GValue]) -> Structure.Value? {
        emit(name, &arguments) { Structure.Value($0) } ?? nil
    }

    /// Emits the signal, unsets the arguments, and passes the result to `transform`.
    private func emit<R>(
        _ name: String, _ arguments: inout [GValue], _ transform: (UnsafePointer<GValue>) -> R
    ) -> R? {
        defer { for index in arguments.indices where arguments[index].g_type != 0 { g_value_unset(&arguments[index]) } }
        var (signal, detail): (guint, GQuark) = (0, 0)
        guard g_signal_parse_name(name, cgst_type_of_instance(raw), &signal, &detail, 1) != 0 else { return nil }
        var query = GSignalQuery()
        g_signal_query(signal, &query)
        guard Int(query.n_params) == arguments.count,
            arguments.indices.allSatisfy({ arguments[$0].g_type == query.param_types[$0] & ~1 })
        else { return nil }
        return withValue(cgst_type_object()) { sender in
            g_value_set_object(&sender, raw)
            var parameters = [sender] + arguments
            guard query.return_type != cgst_type_none() else {
                g_signal_emitv(&parameters, signal, detail, nil)
                return nil
            }
            return withValue(query.return_type & ~1) { result in
                g_signal_emitv(&parameters, signal, detail, &result)
                return transform(&result)
            }
        }
    }
}
