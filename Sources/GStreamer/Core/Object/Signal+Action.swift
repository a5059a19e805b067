import CGStreamer

extension Signal {
    /// Performs an action with the arguments of the signal, and returns the result.
    typealias Action = @Sendable (any ConcurrentElement, [Structure.Value]) -> Structure.Value?

    /// An action signal: when an application emits the signal, `perform` runs with the element of class `E`.
    ///
    /// `perform` runs on the thread that emits the signal, with arguments of the declared kinds; a NULL string becomes
    /// an empty string. The closure returns a value of the kind `returns`, or nil if the signal has no result. The
    /// corresponding C constant is `G_SIGNAL_ACTION`.
    public static func action<E: ConcurrentElement>(
        _ name: String, arguments: [Structure.Kind] = [], returns result: Structure.Kind? = nil,
        _ perform: @escaping @Sendable (E, [Structure.Value]) -> Structure.Value?
    ) -> Signal {
        Signal(name, arguments, result) { element, values in
            // The cast succeeds, because the class of the element declares the signal.
            (element as? E).flatMap { perform($0, values) }
        }
    }

    /// Performs the action on an element of this plugin, without emitting the signal.
    ///
    /// Returns the result of the action; nil if the arguments do not have the kinds that the signal declares.
    @discardableResult
    public func perform(on element: ElementReference, _ arguments: Structure.Value...) -> Structure.Value? {
        perform(on: element, arguments)
    }

    /// An action signal of class `E` that performs this action on another element.
    ///
    /// The signal keeps name, arguments and result. `target` returns an element of this plugin, or nil for no action.
    public func forwarded<E: ConcurrentElement>(to target: @escaping @Sendable (E) -> ElementReference?) -> Signal {
        Signal(name, arguments, result) { element, values in
            (element as? E).flatMap(target).flatMap { self.perform(on: $0, values) }
        }
    }

    private func perform(on element: ElementReference, _ arguments: [Structure.Value]) -> Structure.Value? {
        guard arguments.elementsEqual(self.arguments, by: { $0.kind == $1 }),
            let instance = InstanceSlot.peek(UnsafeMutableRawPointer(element.raw))?.concurrent
        else { return nil }
        return action?(instance, arguments)
    }

    /// The class closure that performs the action (floating reference).
    func makeActionClosure() -> UnsafeMutablePointer<GClosure>? {
        // A signal is never unregistered, so its closure is never released.
        let data = Unmanaged.passRetained(self).toOpaque()
        guard let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), data) else { return nil }
        g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
            guard let data = closure?.pointee.data, let values else { return }
            let signal = Unmanaged<Signal>.fromOpaque(data).takeUnretainedValue()
            signal.perform(UnsafeBufferPointer(start: values, count: Int(count)), result)
        }
        return closure
    }

    /// Performs the action with the values of an emission; the first value is the instance.
    private func perform(_ values: UnsafeBufferPointer<GValue>, _ returned: UnsafeMutablePointer<GValue>?) {
        guard values.count == arguments.count + 1, let raw = g_value_peek_pointer(values.baseAddress),
            let element = InstanceSlot.peek(raw)?.concurrent
        else { return }
        let read = zip(arguments.indices, arguments).compactMap { index, kind in
            withUnsafePointer(to: values[index + 1]) { Structure.Value($0) } ?? (kind == .string ? .string("") : nil)
        }
        guard read.count == arguments.count else {
            return bridgeLog.warning(nil, "signal \(name) was emitted with an argument that is NULL; it is ignored")
        }
        let answer = action?(element, read)
        guard let returned, let answer, answer.kind == result, var value = answer.makeValue() else { return }
        g_value_copy(&value, returned)
        g_value_unset(&value)
    }
}
