import GStreamer

/// Registers the elements and the device provider of the plugin.
public func registerSendspin(in plugin: Plugin) -> Bool {
    register(SendspinSource.self, in: plugin) && register(SendspinSync.self, in: plugin)
        && register(SendspinPlay.self, in: plugin) && register(SendspinSink.self, in: plugin)
        && register(SendspinDeviceProvider.self, in: plugin)
}
