import CSystem
import GStreamer
import Sendspin

private let plugin = PluginDefinition(
    "sendspin", description: "Synchronised network audio with Sendspin, written in Swift", version: SWIFTVIDEO_VERSION,
    package: "gst-plugins-swift", register: registerSendspin)

/// The plugin description; GStreamer calls this function when it loads `libgstsendspin.so`.
@_cdecl("gst_plugin_sendspin_get_desc")
public func gst_plugin_sendspin_get_desc() -> UnsafeRawPointer { unsafe plugin.descriptor }

/// Registers the plugin in a statically linked program.
@_cdecl("gst_plugin_sendspin_register")
public func gst_plugin_sendspin_register() { plugin.registerStatically() }
