import GStreamer

extension CapsStream {
    /// Elements that scale; the first installed element is used.
    static let scalers = ["videoscale", "videoconvertscale"]

    /// Throws, and posts a message for the installer of missing plugins, if no scaler is installed.
    func requireScaler() throws(ElementError) {
        guard scaler == nil else { return }
        let wanted = Self.scalers[0]
        // Applications install missing plugins on this message; see gst_missing_element_message_new.
        host.post(
            Structure(
                "missing-plugin",
                [
                    "type": .string("element"), "detail": .string(wanted),
                    "name": .string("GStreamer element \(wanted)"),
                ]))
        throw .core(
            .missingPlugin,
            "The element \"\(wanted)\" is missing, and \(ThermalCaps.factoryName) requires it.",
            debug: "Install GStreamer's base plugins: on Debian, gstreamer1.0-plugins-base.")
    }
}
