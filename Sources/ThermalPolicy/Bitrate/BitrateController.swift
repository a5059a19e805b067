/// Lowers the bitrate of one encoder, restores it, and checks whether the encoder follows.
///
/// `begin` returns the first writes. The caller performs the writes, reads the encoder and passes the reading to
/// `proceed`, until no write is returned. Only a reading after a write shows whether an encoder accepts a value.
public struct BitrateController: Sendable {
    private let profile: EncoderProfile
    private var phase = Phase.idle
    private var order = BitrateOrder.full
    private var bitrate = Lever()
    private var companions: [Lever]
    private var pixels: PixelBits?
    private var setByUser: Set<EncoderReading.Property> = []
    private var isUsersBitrate = false
    /// Bitrate at the beginning; nil after the user has set another bitrate.
    private var first: Double?
    /// Bitrate that the encoder selects, per pixel of its input, in its own unit; nil if the user sets the bitrate.
    private var ownPerPixel: Double?
    private var usual = UsualBitrate()
    private var check: BitrateCheck?
    private var lastPixels: Double?
    /// Whether the encoder refuses to change its bitrate.
    public private(set) var isRefused = false

    /// Creates a controller for an encoder with the values of `reading`.
    public init(_ profile: EncoderProfile, _ reading: EncoderReading) {
        self.profile = profile
        companions = profile.companions.map { _ in Lever() }
        if case .bitsPerPixel(_, let atFirst) = profile.automatic { pixels = PixelBits(atFirst: atFirst) }
        first = reading.bitrate
    }

    /// Lower bitrate that replaces the bitrate of the user; nil if the bitrate is not lowered.
    public var heldBitrate: Double? { bitrate.asked }

    /// Bitrate as a share of the full bitrate, which the user sets or the encoder selects.
    public func share(_ reading: EncoderReading) -> Double {
        if let pixels, pixels.lever.isHeld { return reading.bitsPerPixel.map(pixels.lever.share) ?? 1 }
        return reading.actualBitrate.map(bitrate.share) ?? 1
    }

    /// Result of the check after the last change; nil until enough stream is encoded.
    public mutating func checked(
        _ output: EncodedAmount, pixelsPerSecond: Double
    ) -> (verdict: BitrateCheck.Verdict, bitsPerSecond: Double)? {
        guard let found = check?.measure(output, pixelShare: usual.pixelShare(pixelsPerSecond)) else { return nil }
        check = nil
        return found
    }

    // MARK: Events

    /// Starts to apply `order`; returns the first writes.
    public mutating func begin(_ order: BitrateOrder, _ reading: EncoderReading) -> [EncoderWrite] {
        self.order = order
        if check != nil || bitrate.isHeld || pixels?.lever.isHeld == true {
            usual.pause()
        } else {
            usual.measure(reading.output, pixels: order.pixelsPerSecond)
        }
        setByUser.formUnion(reading.setByUser)
        isUsersBitrate = setByUser.remove(.bitrate) != nil
        if isUsersBitrate {
            first = nil
            let restored = reading.bitsPerPixel.flatMap { pixels?.lever.move(to: 1, present: $0) }
            pixels?.reset()
            if let restored {
                phase = .restoringPixels
                return [EncoderWrite(property: .bitsPerPixel, value: restored, isHeld: false)]
            }
        }
        return selectProperty(reading)
    }

    /// Continues after the last writes; returns the next writes, or an empty array when `order` is applied.
    public mutating func proceed(_ reading: EncoderReading) -> [EncoderWrite] {
        setByUser.formUnion(reading.setByUser)
        let last = phase
        phase = .idle
        switch last {
        case .idle: return []
        case .restoringPixels: return selectProperty(reading)
        case .pixelTrial(let share, let trial, let before): return endPixelTrial(share, trial, before, reading)
        case .pixels(let share):
            pixels?.chosen = reading.bitrate
            let asked: Double? = share.flatMap { $0 < 1 ? reading.bitrate.map { $0 * profile.bitsPerUnit } : .infinity }
            return end(asked: asked, reading)
        case .pixelsHaveNoEffect: return turnBitrate(reading, isUsers: false)
        case .bitrate(let share, let value, let before, let wasHeld):
            return endBitrate(share, value, before, wasHeld, reading)
        case .companions(let before):
            for (index, before) in before where reading.companions[index] == before {
                // The property refuses other values, so there is nothing to restore.
                companions[index] = Lever()
            }
            return []
        }
    }

    private mutating func selectProperty(_ reading: EncoderReading) -> [EncoderWrite] {
        guard let pixels, pixels.isEffective != false, !bitrate.isHeld || isUsersBitrate else {
            return turnBitrate(reading, isUsers: isUsersBitrate)
        }
        if isUsersBitrate { bitrate = Lever() }
        return turnPixels(reading)
    }

    /// Ends the change; `asked` is the new bitrate in bits per second, nil if it is unchanged.
    private mutating func end(
        asked: Double?, _ reading: EncoderReading, companions share: Double? = nil
    ) -> [EncoderWrite] {
        let held = reading.framesIn.map { $0 - min(reading.output.frames, $0) } ?? 0
        let pixels = order.pixelsPerSecond
        // With another size or frame rate, the output may change although the bitrate does not.
        if asked != nil || (check == nil && lastPixels.map { $0 != pixels } == true) {
            check = BitrateCheck(
                before: usual.bitsPerSecond ?? 0, asked: asked ?? .infinity, inside: held, at: reading.output)
        }
        lastPixels = pixels
        return share.map { turnCompanions(to: $0, reading) } ?? []
    }

    // MARK: Bits per pixel

    private mutating func turnPixels(_ reading: EncoderReading) -> [EncoderWrite] {
        // A change, however small, shows whether the encoder computes its bitrate, and makes encoders of 1.22 do so.
        let share = order.hasFewerPixels ? min(order.share, 0.999) : order.share
        let isUsers = setByUser.remove(.bitsPerPixel) != nil
        guard let present = reading.bitsPerPixel, var pixels else { return end(asked: nil, reading) }
        defer { self.pixels = pixels }
        if share < 1, !pixels.lever.isHeld || isUsers {
            // An encoder without caps has not computed a bitrate.
            guard let now = reading.bitrate, reading.framesIn != 0 else { return end(asked: nil, reading) }
            guard present > 0, now > 0 else {
                guard present <= 0 || usual.bitsPerSecond != nil else { return end(asked: nil, reading) }
                pixels.isEffective = false
                return turnBitrate(reading, isUsers: false)
            }
            // The bitrate of the output may be lower than the bitrate that the encoder reports.
            let used = min(1, max(usual.bitsPerSecond ?? 0, pixels.atFirst) / now)
            pixels.full = isUsers && pixels.lever.isHeld ? present : present * used
        }
        let isTrial = pixels.isEffective == nil && share < 1
        // Bitrates are rounded to kbit/s, so the trial requires a large change.
        let next = isTrial && share > 0.5 ? share / 2 : share
        let value = pixels.lever.move(to: next, present: present, isUsers: isUsers, own: pixels.full)
        if isTrial {
            phase = .pixelTrial(share: share, trial: next, bitrateBefore: reading.bitrate)
            return [EncoderWrite(property: .bitsPerPixel, value: value ?? present, isHeld: true)]
        }
        if let value {
            pixels.isEffective = true
            phase = .pixels(share: share)
            return [EncoderWrite(property: .bitsPerPixel, value: value, isHeld: pixels.lever.isHeld)]
        }
        guard let chosen = pixels.chosen, chosen != reading.bitrate else { return end(asked: nil, reading) }
        phase = .pixels(share: nil)
        return [EncoderWrite(property: .bitsPerPixel, value: present, isHeld: pixels.lever.isHeld)]
    }

    private mutating func endPixelTrial(
        _ share: Double, _ trial: Double, _ before: Double?, _ reading: EncoderReading
    ) -> [EncoderWrite] {
        guard let present = reading.bitsPerPixel, reading.bitrate != before else {
            // The bitrate has not changed with the bits per pixel, so the user has set it.
            let restored = reading.bitsPerPixel.flatMap { pixels?.lever.move(to: 1, present: $0) }
            pixels?.isEffective = false
            guard let restored else { return turnBitrate(reading, isUsers: false) }
            phase = .pixelsHaveNoEffect
            return [EncoderWrite(property: .bitsPerPixel, value: restored, isHeld: false)]
        }
        pixels?.isEffective = true
        phase = .pixels(share: share)
        let full = pixels?.full
        guard trial != share, let value = pixels?.lever.move(to: share, present: present, own: full) else {
            return proceed(reading)
        }
        return [EncoderWrite(property: .bitsPerPixel, value: value, isHeld: true)]
    }

    // MARK: Bitrate

    private mutating func turnBitrate(_ reading: EncoderReading, isUsers: Bool) -> [EncoderWrite] {
        let pixelsPerSecond = order.pixelsPerSecond
        let replacesUsers = isUsers || !bitrate.isHeld
        if replacesUsers { ownPerPixel = ownPerPixel(reading) }
        guard let present = reading.bitrate else { return end(asked: nil, reading, companions: 1) }
        var share = order.share
        // A bitrate selected by the encoder already follows the pixels.
        if ownPerPixel == nil {
            let full = bitrate.userValue(present: present, isUsers: isUsers)
            share = order.share(ofBitsPerSecond: full * profile.bitsPerUnit)
        }
        let wasHeld = bitrate.isHeld && !isUsers
        let value = bitrate.move(
            to: share, present: present, isUsers: isUsers, own: ownPerPixel.map { $0 * pixelsPerSecond },
            automatic: ownPerPixel != nil && profile.automatic == .zero ? 0 : nil)
        guard let value else { return end(asked: nil, reading, companions: bitrate.isHeld ? share : 1) }
        let write = EncoderWrite(
            property: .bitrate, value: value, isHeld: bitrate.isHeld, replacesUsers: replacesUsers)
        guard bitrate.isHeld else {
            // The limits are restored first, because a limit must not be below the bitrate.
            return end(asked: .infinity, reading, companions: 1) + [write]
        }
        phase = .bitrate(share: share, value: value, actualBefore: reading.actualBitrate, wasHeld: wasHeld)
        return [write]
    }

    private mutating func endBitrate(
        _ share: Double, _ value: Double, _ before: Double?, _ wasHeld: Bool, _ reading: EncoderReading
    ) -> [EncoderWrite] {
        // If the encoder followed an earlier change but not this one, the present bitrate is its lowest bitrate.
        guard !wasHeld, value != before, reading.actualBitrate == before else {
            return end(asked: value * profile.bitsPerUnit, reading, companions: share)
        }
        isRefused = true
        let restored = bitrate.move(to: 1, present: reading.bitrate ?? value)
        let write = restored.map { EncoderWrite(property: .bitrate, value: $0, isHeld: false) }
        return [write].compactMap { $0 } + end(asked: nil, reading, companions: 1)
    }

    private mutating func turnCompanions(to share: Double, _ reading: EncoderReading) -> [EncoderWrite] {
        var writes: [EncoderWrite] = []
        var before: [Int: Double] = [:]
        for (index, present) in reading.companions.enumerated() {
            let isUsers = setByUser.remove(.companion(index)) != nil
            let wasHeld = companions[index].isHeld && !isUsers
            guard let present, let value = companions[index].move(to: share, present: present, isUsers: isUsers)
            else { continue }
            writes.append(EncoderWrite(property: .companion(index), value: value, isHeld: companions[index].isHeld))
            if companions[index].isHeld, !wasHeld { before[index] = present }
        }
        phase = .companions(before)
        return writes
    }

    /// Bitrate per pixel that the encoder has selected; nil if the user has set the bitrate.
    ///
    /// The encoder selects the bitrate if the property is 0, or if the property has changed without the user.
    private func ownPerPixel(_ reading: EncoderReading) -> Double? {
        let pixelsPerSecond = order.pixelsPerSecond
        guard pixels == nil, profile.form == .number, let present = reading.bitrate, pixelsPerSecond > 0 else {
            return nil
        }
        if present == 0, profile.automatic == .zero {
            return usual.bitsPerSecond(pixels: pixelsPerSecond).map { $0 / profile.bitsPerUnit / pixelsPerSecond }
        }
        return first.map { $0 != present } == true ? present / pixelsPerSecond : nil
    }
}

// MARK: - State

extension BitrateController {
    /// Bits per pixel from which an encoder computes its bitrate.
    ///
    /// If these are lowered instead of the bitrate, the encoder still adapts its bitrate to the caps. Encoders of 1.22
    /// start with a bitrate other than the computed one, and do not recompute it for new caps until a property is set.
    private struct PixelBits {
        let atFirst: Double
        var lever = Lever(isWhole: false)
        /// Bits per pixel of the output before the first change.
        var full: Double?
        /// Bitrate that the encoder reports after the last write.
        var chosen: Double?
        /// Whether the encoder computes its bitrate from the bits per pixel; nil before the trial.
        var isEffective: Bool?

        /// Discards the trial, because the user has set a bitrate, or has set 0 so that the encoder selects it.
        mutating func reset() { (isEffective, full, chosen) = (nil, nil, nil) }
    }

    /// Step whose writes are in progress.
    private enum Phase {
        case idle
        /// The user has set a bitrate; the bits per pixel are restored before the bitrate is read.
        case restoringPixels
        /// The bits per pixel are changed far enough to show whether they determine the bitrate.
        case pixelTrial(share: Double, trial: Double, bitrateBefore: Double?)
        /// The bits per pixel are written; a nil `share` writes them again, so that the encoder recomputes its bitrate.
        case pixels(share: Double?)
        /// The bits per pixel have no effect and are restored.
        case pixelsHaveNoEffect
        case bitrate(share: Double, value: Double, actualBefore: Double?, wasHeld: Bool)
        /// The companions are written; the dictionary contains their previous values by index.
        case companions([Int: Double])
    }
}
