import GStreamer
import StreamControl

/// A number of an encoder that can be turned down: where it is read and written, and who has set it.
struct BitrateDial {
    let encoder: ElementReference
    private let property: String
    private let form: EncoderBitrate.Form
    private let watch: PropertyWatch
    private var lever: BitrateLever
    /// The user's structure has no such field, and is to have none again.
    private var isOurField = false

    init(_ encoder: ElementReference, _ property: String, _ form: EncoderBitrate.Form = .number, isWhole: Bool = true) {
        self.encoder = encoder
        self.property = property
        self.form = form
        lever = BitrateLever(isWhole: isWhole)
        watch = PropertyWatch(encoder, property)
    }

    /// What is set, or what the driver has where nothing is; nil when nobody knows.
    var present: Double? {
        switch form {
        case .number: encoder.number(property)
        case .control(let field, let id): encoder.control(field, in: property) ?? encoder.driverControl(id)
        }
    }

    /// What the encoder has made of it.
    private var actual: Double? {
        if case .control(_, let id) = form, let number = encoder.driverControl(id) { return number }
        return present
    }

    var isHeld: Bool { lever.isHeld }

    /// How much of the full value the encoder has.
    var share: Double { isHeld ? actual.map { lever.share(of: $0) } ?? 1 : 1 }

    /// Whether the user has set the number since the last look.
    mutating func userHasSet() -> Bool {
        guard watch.hasChanged() else { return false }
        if case .control(let field, _) = form, isHeld, encoder.control(field, in: property) == nil {
            // He has set other fields; the driver still has what it was given.
            isOurField = true
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
        if case .control(let field, _) = form, isUsers || !isHeld {
            isOurField = encoder.control(field, in: property) == nil
        }
        guard
            let value = lever.move(to: share, present: present, isUsers: isUsers, own: own, automatic: automatic)
        else { return nil }
        write(value)
        if !isHeld { return (value, false) }
        let isRefused = value != before && actual == before
        if isRefused { forget() }
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
