import AdaptivePool
import BackpressureQueue
import CPluginEntry
import GStreamer
import NTSCFilter
import PerformanceMonitor
import ThermalCaps

/// Registers all elements of the plugin; add new elements here.
func registerElements(in plugin: Plugin) -> Bool {
    registerNTSCFilter(in: plugin) && registerBackpressureQueue(in: plugin) && registerAdaptivePool(in: plugin)
        && registerThermalCaps(in: plugin) && registerPerformanceMonitor(in: plugin)
}

/// The init function of the plugin; GStreamer calls it once, when it loads `libgstswiftvideo.so`.
@c @implementation
public func swiftvideo_plugin_init(_ plugin: OpaquePointer?) -> Int32 {
    _ = SpanSender.installed
    return registerElements(in: unsafe Plugin(plugin)) ? 1 : 0
}
