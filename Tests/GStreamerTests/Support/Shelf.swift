import GStreamer
import Synchronization

/// A device provider whose devices are numbered boxes; the element of a box is a `swifttestsplitter`.
final class Shelf: DeviceProvider {
    static let providerName = "swifttestshelf"
    static let typeName = "GstSwiftTestShelf"
    static let deviceTypeName = "GstSwiftTestBox"
    static let metadata = ElementMetadata(
        "Shelf", classification: "Source/Boxes", description: "For tests", author: "Tests")

    typealias Settings = NoSettings

    /// The numbers of the boxes that `probe` finds.
    static let found = Mutex<[Int]>([])
    /// Whether `start` succeeds.
    static let isReachable = Mutex(true)
    /// The only instance.
    static let current = Mutex<Shelf?>(nil)

    let host: DeviceProviderHost
    private let boxes = Mutex<[Int: DeviceReference]>([:])
    let calls = Mutex<[String]>([])

    init(host: DeviceProviderHost) {
        self.host = host
        Self.current.withLock { $0 = self }
    }

    func probe() -> [Device] { Self.found.withLock { $0 }.map { Self.box($0) } }

    func start() -> Bool {
        calls.withLock { $0.append("start") }
        return Self.isReachable.withLock { $0 }
    }

    func stop() { calls.withLock { $0.append("stop") } }

    func put(_ number: Int, factory: String = "swifttestsplitter") -> Bool {
        guard let reference = host.add(Self.box(number, factory: factory)) else { return false }
        boxes.withLock { $0[number] = reference }
        return true
    }

    func take(_ number: Int) {
        if let box = boxes.withLock({ $0.removeValue(forKey: number) }) { host.remove(box) }
    }

    static func box(_ number: Int, factory: String = "swifttestsplitter") -> Device {
        Device(
            "Box \(number)", classification: "Boxes/Source", caps: Caps("application/x-numbers")!,
            properties: Structure("box", ["number": .int(Int32(number))]), factory: factory,
            settings: ["location": .string("swifttest://\(number)"), "no-such": .int(1)])
    }
}
