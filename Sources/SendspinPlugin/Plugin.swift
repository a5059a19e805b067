import CSendspinPluginEntry
import GStreamer
import Sendspin

/// The init function of the plugin; GStreamer calls it once, when it loads `libgstsendspin.so`.
@c @implementation
public func sendspin_plugin_init(_ plugin: OpaquePointer?) -> Int32 {
    registerSendspin(in: unsafe Plugin(plugin)) ? 1 : 0
}
