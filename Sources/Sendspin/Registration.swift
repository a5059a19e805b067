import GStreamer

/// Registers all elements of the plugin; add new elements here.
public func registerSendspin(in plugin: Plugin) -> Bool {
    register(SendspinSource.self, in: plugin) && register(SendspinSync.self, in: plugin)
        && register(SendspinPlay.self, in: plugin) && register(SendspinDeviceProvider.self, in: plugin)
}
