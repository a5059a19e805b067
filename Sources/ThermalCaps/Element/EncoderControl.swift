import GStreamer
import ThermalPolicy

/// Lowers the bitrate of one encoder, gives it back, and looks whether it obeys.
///
/// Belongs to the thread that decides.
struct EncoderControl {
    /// Why a bitrate stays as it is.
    enum Obstacle: Equatable {
        case isNotSet(String)
        case setting([EncoderBitrate.Setting])
        case isFixed
        case isRefused
        case isMissing
        /// A muxer, by its name, would refuse what changes with it.
        case muxer(String)
    }

    let encoder: ElementReference
    private let table: EncoderBitrate
    private var dial: BitrateDial
    private var companions: [BitrateDial]
    private var pixels: PixelBitrate?
    private let input: StreamMeter?
    private let output: StreamMeter?
    /// What the property said at first, unless the user has said something else since.
    private var first: Double?
    /// In the encoder's unit, what it chose for each pixel in a second; nil when the user chose.
    private var chosenPerPixel: Double?
    private var usual = UsualBitrate()
    private var check: BitrateCheck?
    private var lastPixels: Double?
    private var isRefused = false
    private(set) var obstacle: Obstacle?
    private var mayChangeCaps = false

    /// Nil for an encoder that is not in the table.
    init?(_ encoder: ElementReference) {
        guard let table = EncoderBitrate.of(factory: encoder.factory) else { return nil }
        self.encoder = encoder
        self.table = table
        (input, output) = (encoder.measure("sink"), encoder.measure("src"))
        dial = BitrateDial(
            encoder, table.property, table.form,
            choosing: table.automatic == .zero ? [input, output].compactMap { $0 } : [])
        companions = table.companions.filter { encoder.number($0) != nil }.map { BitrateDial(encoder, $0) }
        pixels = PixelBitrate(encoder, table)
        first = dial.present
        obstacle = findObstacle()
    }

    /// How much of its bitrate the encoder has: 1 is what the user set, or what it chose itself.
    var share: Double { pixels?.isHeld == true ? pixels?.share ?? 1 : dial.share }

    /// Finds out anew what is in the way; with `mayChangeCaps` everything behind takes new caps, however it looks.
    mutating func findObstacle(mayChangeCaps: Bool) {
        self.mayChangeCaps = mayChangeCaps
        obstacle = findObstacle()
    }

    /// Whether nothing of it may be touched, to lower it or to give it back.
    var isBound: Bool { if case .muxer = obstacle { true } else { false } }

    /// Sees to it that the encoder makes what it is ordered to.
    mutating func move(to order: BitrateOrder) {
        guard !isBound else { return }
        turn(to: obstacle == nil ? order : BitrateOrder(share: 1, pixelsPerSecond: order.pixelsPerSecond))
    }

    /// Gives back what was taken.
    mutating func giveBack() { turn(to: .nothingTaken) }

    // MARK: Turning

    private mutating func turn(to order: BitrateOrder) {
        if check != nil || dial.isHeld || pixels?.isHeld == true {
            usual.pause()
        } else {
            usual.look(amount, pixels: order.pixelsPerSecond)
        }
        let isUsers = dial.userHasSet()
        if isUsers {
            first = nil
            pixels?.beginAnew()
        }
        let asked: Double?
        if pixels != nil, pixels?.isAutomatic != false, !dial.isHeld || isUsers {
            if isUsers { dial.forget() }
            asked = turnPixels(to: order)
        } else {
            asked = turn(to: order, isUsers: isUsers)
        }
        if let asked {
            beginCheck(asked)
        } else if let lastPixels, lastPixels != order.pixelsPerSecond, check == nil {
            // Nothing was asked of the encoder, but less may come out of it.
            beginCheck(.infinity)
        }
        lastPixels = order.pixelsPerSecond
    }

    /// What came out since the last change, once enough has.
    mutating func look(pixelsPerSecond: Double) -> (verdict: BitrateCheck.Verdict, bitsPerSecond: Double)? {
        let amount = amount
        guard let found = check?.look(amount, pixelShare: usual.pixelShare(pixelsPerSecond)) else { return nil }
        check = nil
        return found
    }

    /// Returns the bits per second that are asked for, when they are new.
    private mutating func turnPixels(to order: BitrateOrder) -> Double? {
        // Only a change shows who chooses, and lets an encoder of 1.22 choose for the pixels of now.
        let share = order.hasFewerPixels ? min(order.share, 0.999) : order.share
        let asked = pixels?.turn(to: share, usual: usual.bitsPerSecond, bitrate: dial)
        guard pixels?.isAutomatic == false else { return asked.map { $0 * table.bitsPerUnit } }
        return turn(to: order, isUsers: false)
    }

    private mutating func turn(to order: BitrateOrder, isUsers: Bool) -> Double? {
        let pixelsPerSecond = order.pixelsPerSecond
        if isUsers || !dial.isHeld { chosenPerPixel = choice(pixelsPerSecond) }
        var share = order.share
        // An encoder's own choice follows the pixels already.
        if chosenPerPixel == nil, let full = dial.userValue(isUsers: isUsers) {
            share = order.share(ofBitsPerSecond: full * table.bitsPerUnit)
        }
        let isRise = share >= 1
        if isRise { turnCompanions(to: share) }
        let turned = dial.turn(
            to: share, isUsers: isUsers, own: chosenPerPixel.map { $0 * pixelsPerSecond },
            automatic: chosenPerPixel != nil && table.automatic == .zero ? 0 : nil)
        if !isRise { turnCompanions(to: dial.isHeld ? share : 1) }
        guard let turned else { return nil }
        if turned.isRefused {
            isRefused = true
            obstacle = findObstacle()
            turnCompanions(to: 1)
            return nil
        }
        return isRise ? .infinity : turned.value * table.bitsPerUnit
    }

    private mutating func turnCompanions(to share: Double) {
        for index in companions.indices {
            let isUsers = companions[index].userHasSet()
            _ = companions[index].turn(to: share, isUsers: isUsers)
        }
    }

    /// What the encoder chooses for each pixel, if it does: it says so, or its number has changed though nobody set it.
    private func choice(_ pixelsPerSecond: Double) -> Double? {
        guard pixels == nil, case .number = table.form, let present = dial.present, pixelsPerSecond > 0 else {
            return nil
        }
        if present == 0, table.automatic == .zero {
            return usual.bitsPerSecond(pixels: pixelsPerSecond).map { $0 / table.bitsPerUnit / pixelsPerSecond }
        }
        return first.map { $0 != present } == true ? present / pixelsPerSecond : nil
    }

    // MARK: Measuring

    private var amount: EncodedAmount {
        EncodedAmount(
            bytes: output?.bytes ?? 0, time: .nanoseconds(Int64(clamping: output?.nanoseconds ?? 0)),
            frames: output?.frames ?? 0)
    }

    private mutating func beginCheck(_ asked: Double) {
        let (entered, left) = (input?.frames ?? 0, output?.frames ?? 0)
        check = BitrateCheck(
            before: usual.bitsPerSecond ?? 0, asked: asked, inside: entered - min(left, entered), at: amount)
    }

    // MARK: Obstacles

    private func findObstacle() -> Obstacle? {
        if isRefused { return .isRefused }
        if table.isFixed || encoder.isFixed(table.property) { return .isFixed }
        for settings in table.unless where settings.allSatisfy({ encoder.text($0.property).map($0.matches) == true }) {
            return .setting(settings)
        }
        if !table.keepsCaps, !mayChangeCaps,
            let muxer = encoder.elementsDownstream().first(where: { $0.refusesNewCaps })
        {
            return .muxer(muxer.name)
        }
        guard dial.present == nil else { return nil }
        guard case .control(let field, _) = table.form else { return .isMissing }
        // A driver that nobody has opened yet says nothing.
        return output?.frames ?? 0 > 0 ? .isNotSet("\(table.property)=\"controls,\(field)=4000000\"") : nil
    }
}
