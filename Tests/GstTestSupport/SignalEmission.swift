import CGStreamer

/// An action signal, with its arguments as texts that GStreamer parses.
public struct SignalEmission {
    public let name: String
    private let arguments: [String]

    public init(_ name: String, _ arguments: String...) {
        self.name = name
        self.arguments = arguments
    }

    /// Emits the signal and returns its result as a text, or nil if the signal has no result.
    @discardableResult
    public func emit(on element: RawElement) -> String? {
        let type = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee
            .g_type
        let signal = g_signal_lookup(name, type)
        var query = GSignalQuery()
        g_signal_query(signal, &query)
        var values = [GValue](repeating: GValue(), count: arguments.count + 1)
        defer { for index in values.indices { g_value_unset(&values[index]) } }
        g_value_init(&values[0], type)
        g_value_set_object(&values[0], element)
        for (index, text) in arguments.enumerated() {
            g_value_init(&values[index + 1], query.param_types[index])
            gst_value_deserialize(&values[index + 1], text)
        }
        guard query.return_type != 4 else {
            g_signal_emitv(&values, signal, 0, nil)
            return nil
        }
        var result = GValue()
        g_value_init(&result, query.return_type)
        defer { g_value_unset(&result) }
        g_signal_emitv(&values, signal, 0, &result)
        if query.return_type == cgst_type_string() { return g_value_get_string(&result).map { String(cString: $0) } }
        let text = gst_value_serialize(&result)
        defer { g_free(text) }
        return text.map { String(cString: $0) }
    }
}
