import GStreamer
import ThermalPolicy

/// Reads and writes the bitrate properties of one encoder for its `BitrateController`.
///
/// Belongs to the deciding thread.
struct EncoderPort {
    /// The reason why the bitrate is not lowered.
    enum Obstacle: Equatable {
        /// The bitrate is unknown; the text is a setting that defines it.
        case isNotSet(String)
        /// These settings make the encoder ignore its bitrate.
        case setting([EncoderProfile.Setting])
        /// The encoder reads its bitrate only at the start.
        case isFixed
        /// The encoder did not accept a lower bitrate.
        case isRefused
        /// The encoder has no bitrate property.
        case isMissing
        /// The muxer of this name refuses the caps that change with the bitrate.
        case muxer(String)
    }

    typealias Checked = (verdict: BitrateCheck.Verdict, bitsPerSecond: Double)

    let encoder: ElementReference
    private(set) var obstacle: Obstacle?
    private let profile: EncoderProfile
    private var controller: BitrateController
    private var reading = EncoderReading()
    private var bitrate: PropertyWatch
    private let bitsPerPixel: (name: String, watch: PropertyWatch)?
    private let companions: [(name: String, watch: PropertyWatch)]
    private let input: StreamMeter?
    private let output: StreamMeter?
    /// Returns the value of a control in the driver; nil if it is unknown.
    private let driver: (UInt32) -> Double?
    /// Whether the user's structure lacks the field of the bitrate.
    private var hasAddedField = false
    private var mayChangeCaps = false

    /// Nil for an unknown encoder.
    init?(_ encoder: ElementReference, driver: ((UInt32) -> Double?)? = nil) {
        guard var profile = EncoderProfile.of(factory: encoder.factory) else { return nil }
        profile.companions.removeAll { encoder.number($0) == nil }
        self.encoder = encoder
        self.profile = profile
        self.driver = driver ?? encoder.driverControl
        (input, output) = (StreamMeter(encoder, pad: "sink"), StreamMeter(encoder, pad: "src"))
        // An encoder that selects its bitrate notifies the property on its streaming threads.
        let streams = profile.automatic == .zero ? [input, output].compactMap { $0 } : []
        bitrate = PropertyWatch(encoder, profile.property, besides: streams)
        companions = profile.companions.map { ($0, PropertyWatch(encoder, $0)) }
        if case .bitsPerPixel(let name, _) = profile.automatic {
            bitsPerPixel = (name, PropertyWatch(encoder, name))
        } else {
            bitsPerPixel = nil
        }
        controller = BitrateController(profile, reading)
        read()
        controller = BitrateController(profile, reading)
        obstacle = findObstacle()
    }

    /// The bitrate as a share of the full one.
    var share: Double { controller.share(reading) }

    /// Whether the bitrate must not be written at all.
    var isBound: Bool { if case .muxer = obstacle { true } else { false } }

    /// Looks for obstacles again; with `mayChangeCaps` every element downstream is assumed to accept new caps.
    mutating func findObstacle(mayChangeCaps: Bool) {
        self.mayChangeCaps = mayChangeCaps
        readValues()
        obstacle = findObstacle()
    }

    /// Sets the bitrate to `order`; returns the result of the last check when there is one.
    mutating func follow(_ order: BitrateOrder) -> Checked? {
        if !isBound {
            write(obstacle == nil ? order : BitrateOrder(share: 1, pixelsPerSecond: order.pixelsPerSecond))
        }
        return controller.checked(reading.output, pixelsPerSecond: order.pixelsPerSecond)
    }

    /// Restores the full bitrate.
    mutating func restore() { write(.full) }

    private mutating func write(_ order: BitrateOrder) {
        read()
        var writes = controller.begin(order, reading)
        while !writes.isEmpty {
            for write in writes { perform(write) }
            read()
            writes = controller.proceed(reading)
        }
        if controller.isRefused { obstacle = .isRefused }
    }

    // MARK: Access

    private mutating func read() {
        reading.setByUser = bitrate.hasChanged() && !replaceMissingField() ? [.bitrate] : []
        if let bitsPerPixel, bitsPerPixel.watch.hasChanged() { reading.setByUser.insert(.bitsPerPixel) }
        for (index, companion) in companions.enumerated() where companion.watch.hasChanged() {
            reading.setByUser.insert(.companion(index))
        }
        readValues()
    }

    private mutating func readValues() {
        switch profile.form {
        case .number:
            reading.bitrate = encoder.number(profile.property)
            reading.actualBitrate = reading.bitrate
        case .control(let field, let id):
            let actual = driver(id)
            reading.bitrate = encoder.control(field, in: profile.property) ?? actual ?? controller.heldBitrate
            reading.actualBitrate = actual ?? reading.bitrate
        }
        reading.bitsPerPixel = bitsPerPixel.flatMap { encoder.number($0.name) }
        reading.companions = companions.map { encoder.number($0.name) }
        reading.output = EncodedAmount(
            bytes: output?.bytes ?? 0, time: output?.time ?? .zero, frames: output?.frames ?? 0)
        reading.framesIn = input?.frames
    }

    /// Handles a new structure of the user that lacks the bitrate field; false if it has one, or no bitrate is held.
    ///
    /// The driver keeps the last bitrate. If the driver cannot be read, the bitrate is written again, because the device
    /// may not have been open when it was set.
    private mutating func replaceMissingField() -> Bool {
        guard case .control(let field, let id) = profile.form, let held = controller.heldBitrate,
            encoder.control(field, in: profile.property) == nil
        else { return false }
        hasAddedField = true
        if driver(id) == nil { bitrate.write { encoder.set(field, in: profile.property, to: held) } }
        return true
    }

    private mutating func perform(_ write: EncoderWrite) {
        switch write.property {
        case .bitrate:
            guard case .control(let field, _) = profile.form else {
                return bitrate.write { encoder.set(profile.property, to: write.value) }
            }
            if write.replacesUsers { hasAddedField = encoder.control(field, in: profile.property) == nil }
            bitrate.write {
                encoder.set(field, in: profile.property, to: write.value)
                if hasAddedField, !write.isHeld { encoder.set(field, in: profile.property, to: nil) }
            }
        case .bitsPerPixel:
            guard let bitsPerPixel else { return }
            bitsPerPixel.watch.write { encoder.set(bitsPerPixel.name, to: write.value) }
        case .companion(let index):
            guard companions.indices.contains(index) else { return }
            companions[index].watch.write { encoder.set(companions[index].name, to: write.value) }
        }
    }

    // MARK: Obstacles

    private func findObstacle() -> Obstacle? {
        if controller.isRefused { return .isRefused }
        if profile.isFixed || encoder.isFixed(profile.property) { return .isFixed }
        for settings in profile.unless where settings.allSatisfy({ encoder.text($0.property).map($0.matches) == true })
        {
            return .setting(settings)
        }
        if !profile.keepsCaps, !mayChangeCaps,
            let muxer = encoder.elementsDownstream().first(where: { $0.refusesNewCaps })
        {
            return .muxer(muxer.name)
        }
        guard reading.bitrate == nil else { return nil }
        guard case .control(let field, _) = profile.form else { return .isMissing }
        // A driver that is not open yet has no value.
        return output?.frames ?? 0 > 0 ? .isNotSet("\(profile.property)=\"controls,\(field)=4000000\"") : nil
    }
}
