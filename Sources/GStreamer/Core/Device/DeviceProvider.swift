/// Lists the devices of one kind, and reports those that appear and disappear.
///
/// There is one instance in a process. Its methods are called one at a time, on any thread. The corresponding C class is
/// `GstDeviceProvider`.
public protocol DeviceProvider: AnyObject, Object, Sendable {
    /// The name of the provider, such as `pulsedeviceprovider`.
    static var providerName: String { get }
    /// The description; its classification, such as `Source/Audio/Network`, contains those of the devices.
    static var metadata: ElementMetadata { get }
    /// The rank; applications use the providers with a rank above `none`.
    static var rank: Rank { get }
    /// The name of the GType of the devices, which must be unique in the process.
    static var deviceTypeName: String { get }

    /// The C instance that the provider belongs to.
    var host: DeviceProviderHost { get }

    /// Creates the Swift object of the C instance.
    init(host: DeviceProviderHost)

    /// Returns the devices that exist now; it may wait for a short time. Not called after `start`.
    ///
    /// The corresponding C method is `probe`.
    func probe() -> [Device]

    /// Begins to add and remove devices with `DeviceProviderHost`; false if that is impossible.
    ///
    /// The corresponding C method is `start`.
    func start() -> Bool

    /// Ends what `start` began; `host` must not be used afterwards. The devices that were added are removed.
    ///
    /// The corresponding C method is `stop`.
    func stop()
}

extension DeviceProvider {
    /// The default is `.primary`.
    public static var rank: Rank { .primary }
}
