import AdaptivePool
import BackpressureQueue
import CPluginEntry
import GStreamer
import NTSCFilter
import ThermalCaps

/// Registers every element this plugin offers; add yours here.
func registerElements(in plugin: Plugin) -> Bool {
    registerNTSCFilter(in: plugin) && registerBackpressureQueue(in: plugin) && registerAdaptivePool(in: plugin)
        && registerThermalCaps(in: plugin)
}

/// Called once, by C, when GStreamer loads `libgstswiftvideo.so`.
@c @implementation
public func swiftvideo_plugin_init(_ plugin: OpaquePointer?) -> Int32 {
    registerElements(in: unsafe Plugin(plugin)) ? 1 : 0
}
