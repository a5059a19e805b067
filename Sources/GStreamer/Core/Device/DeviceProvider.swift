/// Lists the devices of one kind, and reports added and removed devices.
///
/// A process has one instance of each provider. Any thread may call the methods, but only one at a time. The
/// corresponding C class is `GstDeviceProvider`.
public protocol DeviceProvider: AnyObject, Object, Sendable {
    /// The name of the provider, such as `pulsedeviceprovider`.
    static var providerName: String { get }
    /// The description; its classification, such as `Source/Audio/Network`, contains the classes of the devices.
    static var metadata: ElementMetadata { get }
    /// The rank; applications use providers with a rank above `none`.
    static var rank: Rank { get }
    /// The name of the GType of the devices; must be unique in the process.
    static var deviceTypeName: String { get }

    /// The C instance of the provider.
    var host: DeviceProviderHost { get }

    /// Creates the Swift object of the C instance.
    init(host: DeviceProviderHost)

    /// Returns the devices that exist now, and may block for a short time; never called between `start` and `stop`.
    ///
    /// The corresponding C method is `probe`.
    func probe() -> [Device]

    /// Starts to add and remove devices with `DeviceProviderHost`; returns false if the start fails.
    ///
    /// The corresponding C method is `start`.
    func start() -> Bool

    /// Stops the work of `start`; do not use `host` before the next `start`. The base class removes all devices.
    ///
    /// The corresponding C method is `stop`.
    func stop()
}

extension DeviceProvider {
    /// The default is `.primary`.
    public static var rank: Rank { .primary }
}
