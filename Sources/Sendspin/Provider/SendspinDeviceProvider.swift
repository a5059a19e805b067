import GStreamer
import SendspinProtocol
import ServiceDiscovery
import Threads

/// Lists the Sendspin servers of the local network.
///
///     gst-device-monitor-1.0 Audio/Source
///
/// `gst_device_create_element` makes a `sendspinsrc` with the address of the server.
final class SendspinDeviceProvider: DeviceProvider {
    static let providerName = "sendspindeviceprovider"
    static let typeName = "GstSendspinDeviceProvider"
    static let deviceTypeName = "GstSendspinDevice"
    static let metadata = ElementMetadata(
        "Sendspin device provider",
        classification: "Source/Audio/Network",
        description: "Lists the Sendspin servers of the local network",
        author: "The gst-plugins-swift authors")
    /// Time in which servers must respond.
    private static let probeTime = Duration.seconds(1)

    private struct Found {
        var services: [DiscoveredService] = []
        var isDone = false
    }

    private struct State {
        var browser: ServiceBrowser?
        var devices: [DiscoveredService: DeviceReference] = [:]
    }

    let host: DeviceProviderHost
    private let state = Mutex(State())

    init(host: DeviceProviderHost) { self.host = host }

    func probe() -> [Device] {
        let found = Monitor(Found(), conditions: 1)
        let browser = ServiceBrowser(type: ServerSearch.type) { event in
            found.change { now in
                switch event {
                case .added(let service): now.services.append(service)
                case .removed(let service): now.services.removeAll { $0 == service }
                case .allForNow, .failed: now.isDone = true
                }
                found.mutex.wake(0)
            }
        }
        let deadline = MonotonicClock.now + Self.probeTime
        let services = found.await { found in
            found.isDone || MonotonicClock.now >= deadline ? .done(found.services) : .wait(0, until: deadline)
        }
        browser.stop()
        return services.compactMap { Self.device($0) }
    }

    func start() -> Bool {
        let browser = ServiceBrowser(type: ServerSearch.type) { [weak self] in self?.handle($0) }
        state.withLock { $0.browser = browser }
        return true
    }

    func stop() {
        let browser = state.withLock { state in
            defer { state.browser = nil }
            return state.browser
        }
        browser?.stop()
        state.withLock { $0.devices.removeAll() }
    }

    private func handle(_ event: ServiceBrowser.Event) {
        switch event {
        case .added(let service):
            guard let device = Self.device(service).flatMap({ host.add($0) }) else { return }
            let old = state.withLock { $0.devices.updateValue(device, forKey: service) }
            if let old { host.remove(old) }
        case .removed(let service):
            if let device = state.withLock({ $0.devices.removeValue(forKey: service) }) { host.remove(device) }
        case .allForNow, .failed: break
        }
    }

    private static func device(_ service: DiscoveredService) -> Device? {
        guard let caps = Caps(StreamFormatCaps.template) else { return nil }
        let address = ServerSearch.address(of: service)
        return Device(
            PeerText.make(service.text["name"] ?? service.name), classification: "Audio/Source",
            caps: caps,
            properties: Structure(
                "sendspin-properties",
                ["host": .string(PeerText.make(service.hostName)), "id": .string(PeerText.make(service.name))]),
            factory: SendspinSource.factoryName,
            settings: ["uri": .string("sendspin://\(address.authority)\(address.path)")])
    }
}
