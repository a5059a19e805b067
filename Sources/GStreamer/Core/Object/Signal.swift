import CGStreamer
import Synchronization

/// A GObject signal that objects of a class emit, or an action signal that applications emit.
///
///     static let limitReached = Signal("limit-reached", arguments: [.uint, .string])
///     static let reset = Signal.action("reset", returns: .bool) { (meter: Meter, _) in .bool(meter.reset()) }
///     static let signals = [limitReached, reset]
///
/// Declare each signal as a `static let` of the class and list it in `Object.signals`. Any thread that holds no mutex
/// may emit it; handlers run on that thread and may call any function. The corresponding C function is `g_signal_newv`.
public final class Signal: Sendable {
    /// The name, such as `limit-reached`.
    public let name: String
    let arguments: [Structure.Kind]
    let result: Structure.Kind?
    /// The action of an action signal; nil for other signals.
    let action: Action?
    private let id = Atomic<UInt32>(0)

    /// A signal with arguments, and with a result of the kind `returns` if that is not nil.
    ///
    /// An emission returns the result of the first handler that does not return NULL.
    public convenience init(_ name: String, arguments: [Structure.Kind] = [], returns result: Structure.Kind? = nil) {
        self.init(name, arguments, result, action: nil)
    }

    init(_ name: String, _ arguments: [Structure.Kind], _ result: Structure.Kind?, action: Action?) {
        self.name = name
        self.arguments = arguments
        self.result = result
        self.action = action
    }

    /// Registers the signal; called once, in `class_init`.
    func install(on type: GType) {
        var types = arguments.map(\.type)
        if action != nil {
            let id = g_signal_newv(
                name, type, GSignalFlags(rawValue: cgst_signal_run_last().rawValue | cgst_signal_action().rawValue),
                makeActionClosure(), nil, nil, nil, result?.type ?? cgst_type_none(), guint(types.count), &types)
            return self.id.store(id, ordering: .relaxed)
        }
        let accumulate: GSignalAccumulator = { _, total, returned, _ in
            guard let total, let returned else { return 1 }
            g_value_copy(returned, total)
            guard g_value_fits_pointer(returned) != 0, g_value_peek_pointer(returned) == nil else { return 0 }
            return 1
        }
        id.store(
            g_signal_newv(
                name, type, result == nil ? cgst_signal_run_first() : cgst_signal_run_last(), nil,
                result == nil ? nil : accumulate, nil, nil, result?.type ?? cgst_type_none(), guint(types.count), &types
            ),
            ordering: .relaxed)
    }

    /// Emits the signal from `instance`; allocates memory only if the signal has arguments or a result.
    ///
    /// Returns the result; nil if no handler returned one.
    @discardableResult
    func emit(from instance: UnsafeMutableRawPointer, _ values: [Structure.Value]) -> Structure.Value? {
        let id = id.load(ordering: .relaxed)
        guard !arguments.isEmpty || result != nil else {
            cgst_signal_emit(instance, id)
            return nil
        }
        guard values.elementsEqual(arguments, by: { $0.kind == $1 }) else {
            bridgeLog.error(nil, "signal \(name) was emitted with arguments that do not match its declaration")
            return nil
        }
        guard action != nil || g_signal_has_handler_pending(instance, id, 0, 0) != 0 else { return nil }
        var sender = GValue()
        g_value_init(&sender, cgst_type_object())
        g_value_set_object(&sender, instance)
        var parameters = [sender] + values.compactMap { $0.makeValue() }
        defer { for index in parameters.indices { g_value_unset(&parameters[index]) } }
        // Handlers require all arguments, so the signal is not emitted if an argument has no `GValue`.
        guard parameters.count == values.count + 1 else { return nil }
        guard let result else {
            g_signal_emitv(&parameters, id, 0, nil)
            return nil
        }
        var answer = GValue()
        g_value_init(&answer, result.type)
        defer { g_value_unset(&answer) }
        g_signal_emitv(&parameters, id, 0, &answer)
        return Structure.Value(&answer)
    }
}
