import GStreamer

private let plugin = PluginDefinition("hello", description: "My first element") { register(Negative.self, in: $0) }

@c public func gst_plugin_hello_get_desc() -> UnsafeRawPointer { plugin.descriptor }
@c public func gst_plugin_hello_register() { plugin.registerStatically() }
