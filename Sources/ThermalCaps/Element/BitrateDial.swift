import GStreamer
import ThermalPolicy

/// A number of an encoder that can be turned down: where it is read and written, and who has set it.
struct BitrateDial {
    let encoder: ElementReference
    private let property: String
    private let form: EncoderBitrate.Form
    private let watch: PropertyWatch
    /// What the driver has for a control; nil when it does not say.
    private let driver: (UInt32) -> Double?
    private var lever: BitrateLever
    /// The user's structure has no such field, and is to have none again.
    private var isOurField = false

    /// What is set on the threads of `choosing` the encoder has chosen itself.
    init(
        _ encoder: ElementReference, _ property: String, _ form: EncoderBitrate.Form = .number, isWhole: Bool = true,
        choosing: [StreamMeter] = [], driver: ((UInt32) -> Double?)? = nil
    ) {
        self.encoder = encoder
        self.property = property
        self.form = form
        self.driver = driver ?? encoder.driverControl
        lever = BitrateLever(isWhole: isWhole)
        watch = PropertyWatch(encoder, property, besides: choosing)
    }

    /// What is set, or what the driver has where nothing is, or was given; nil when nobody knows.
    var present: Double? {
        switch form {
        case .number: encoder.number(property)
        case .control(let field, let id): encoder.control(field, in: property) ?? driver(id) ?? lever.asked
        }
    }

    /// What the encoder has made of it.
    private var actual: Double? {
        if case .control(_, let id) = form, let number = driver(id) { return number }
        return present
    }

    var isHeld: Bool { lever.isHeld }

    /// How much of the full value the encoder has.
    var share: Double { isHeld ? actual.map { lever.share(of: $0) } ?? 1 : 1 }

    /// What the user set; nil when nobody knows.
    func userValue(isUsers: Bool) -> Double? { present.map { lever.userValue(present: $0, isUsers: isUsers) } }

    /// Whether the user has set the number since the last look.
    mutating func userHasSet() -> Bool {
        guard watch.hasChanged() else { return false }
        if case .control(let field, let id) = form, isHeld, encoder.control(field, in: property) == nil {
            // He has set other fields; the driver still has what it was given.
            isOurField = true
            // One that cannot be asked may not have been open when it was given it.
            if driver(id) == nil, let asked = lever.asked { write(asked) }
            return false
        }
        return true
    }

    /// Sets `share` of the full value, as `BitrateLever` says; nil when there was nothing to do, or when `isRefused`.
    mutating func turn(
        to share: Double, isUsers: Bool = false, own: Double? = nil, automatic: Double? = nil
    ) -> (value: Double, isRefused: Bool)? {
        guard let present else { return nil }
        let before = actual
        let hasObeyed = isHeld && !isUsers
        if case .control(let field, _) = form, isUsers || !isHeld {
            isOurField = encoder.control(field, in: property) == nil
        }
        guard
            let value = lever.move(to: share, present: present, isUsers: isUsers, own: own, automatic: automatic)
        else { return nil }
        write(value)
        if !isHeld { return (value, false) }
        // What has obeyed once, and does not go on, has come to its least.
        let isRefused = !hasObeyed && value != before && actual == before
        if isRefused, let old = lever.move(to: 1, present: self.present ?? value) { write(old) }
        return (value, isRefused)
    }

    /// Sets what is set already, for an encoder that looks only then.
    func touch() { if case .number = form, let present { write(present) } }

    /// What is set now is the user's.
    mutating func forget() {
        let isWhole = lever.isWhole
        lever = BitrateLever(isWhole: isWhole)
    }

    private func write(_ value: Double) {
        watch.write {
            switch form {
            case .number: encoder.set(property, to: value)
            case .control(let field, _):
                encoder.set(field, in: property, to: value)
                if isOurField, !isHeld { encoder.set(field, in: property, to: nil) }
            }
        }
    }
}
