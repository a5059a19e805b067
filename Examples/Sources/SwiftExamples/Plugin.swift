import GStreamer

private let plugin = PluginDefinition("swiftexamples", description: "Example elements written in Swift") {
    register(ToneSource.self, in: $0) && register(SweepSource.self, in: $0) && register(PartsSource.self, in: $0)
        && register(PeakSink.self, in: $0) && register(Echo.self, in: $0) && register(Scale.self, in: $0)
        && register(Wipe.self, in: $0) && register(PushCount.self, in: $0) && register(Speed.self, in: $0)
        && register(Crush.self, in: $0)
}

@c public func gst_plugin_swiftexamples_get_desc() -> UnsafeRawPointer { plugin.descriptor }
@c public func gst_plugin_swiftexamples_register() { plugin.registerStatically() }
