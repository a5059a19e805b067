import CGStreamer

extension ElementReference {
    /// Makes the pad `sink` return GST_FLOW_OK instead of an error if `isTolerated` returns true.
    ///
    /// The streaming thread of the source then continues. GST_FLOW_FLUSHING is still returned. The pad must be a ghost
    /// pad. The corresponding C function is `gst_pad_set_chain_function_full`.
    public func tolerateFailures(if isTolerated: @escaping @Sendable () -> Bool) {
        let tolerance = Unmanaged.passRetained(Tolerance(isTolerated)).toOpaque()
        withUnsafePointer { element in
            guard let pad = gst_element_get_static_pad(element, "sink") else {
                return Unmanaged<Tolerance>.fromOpaque(tolerance).release()
            }
            gst_pad_set_chain_function_full(
                pad,
                { pad, parent, buffer in
                    let result = gst_proxy_pad_chain_default(pad, parent, buffer)
                    guard result != GST_FLOW_OK, result != GST_FLOW_FLUSHING, let data = pad?.pointee.chaindata else {
                        return result
                    }
                    let tolerance = Unmanaged<Tolerance>.fromOpaque(data)
                    return tolerance._withUnsafeGuaranteedRef { $0.isTolerated() } ? GST_FLOW_OK : result
                }, tolerance, { Unmanaged<Tolerance>.fromOpaque($0!).release() })
            gst_object_unref(pad)
        }
    }

    private final class Tolerance: Sendable {
        let isTolerated: @Sendable () -> Bool
        init(_ isTolerated: @escaping @Sendable () -> Bool) { self.isTolerated = isTolerated }
    }
}

extension Message {
    /// Whether the message is a stream error of an element in `bin`, other than a missing decoder.
    public func isDecodingError(in bin: ElementReference) -> Bool {
        guard kind == .error else { return false }
        return withUnsafePointer { message in
            let isInside = bin.withUnsafePointer {
                gst_object_has_as_ancestor(message.pointee.src, &$0.pointee.object) != 0
            }
            var error: UnsafeMutablePointer<GError>?
            gst_message_parse_error(message, &error, nil)
            defer { g_clear_error(&error) }
            guard isInside, let error else { return false }
            return error.pointee.domain == gst_stream_error_quark()
                && error.pointee.code != gint(GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue)
        }
    }
}
