import AdaptivePool
import BackpressureQueue
import CSystem
import GStreamer
import NTSCFilter
import PerformanceMonitor
import ThermalCaps

/// Registers all elements of the plugin; add new elements here.
public func registerElements(in plugin: Plugin) -> Bool {
    _ = SpanSender.installed
    return registerNTSCFilter(in: plugin) && registerBackpressureQueue(in: plugin) && registerAdaptivePool(in: plugin)
        && registerThermalCaps(in: plugin) && registerPerformanceMonitor(in: plugin)
}

private let plugin = PluginDefinition(
    "swiftvideo", description: "Video elements written in Swift", version: SWIFTVIDEO_VERSION,
    package: "gst-plugins-swift", register: registerElements)

/// Description of the plugin; GStreamer calls it when it loads `libgstswiftvideo.so`.
@c public func gst_plugin_swiftvideo_get_desc() -> UnsafeRawPointer { unsafe plugin.descriptor }

/// Registers the plugin in a program that contains it.
@c public func gst_plugin_swiftvideo_register() { plugin.registerStatically() }
