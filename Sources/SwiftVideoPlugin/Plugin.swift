import AdaptivePool
import CPluginEntry
import GStreamer
import ThermalCaps

/// Registers every element this plugin offers; add yours here.
func registerElements(in plugin: Plugin) -> Bool {
    register(NTSCFilter.self, in: plugin) && register(BackpressureQueue.self, in: plugin)
        && registerAdaptivePool(in: plugin)
        && registerThermalCaps(in: plugin)
}

/// Called once, by C, when GStreamer loads `libgstswiftvideo.so`.
@c @implementation
public func swiftvideo_plugin_init(_ plugin: OpaquePointer?) -> Int32 {
    registerElements(in: unsafe Plugin(plugin)) ? 1 : 0
}
