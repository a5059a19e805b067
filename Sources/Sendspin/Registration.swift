import GStreamer

/// Registers all elements of the plugin; add new elements here.
public func registerSendspin(in plugin: Plugin) -> Bool {
    registerSendspinSource(in: plugin) && registerSendspinSync(in: plugin) && registerSendspinPlay(in: plugin)
        && registerSendspinDeviceProvider(in: plugin)
}
