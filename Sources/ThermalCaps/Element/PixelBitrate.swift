import GStreamer
import ThermalPolicy

/// The bitrate of an encoder that chooses it by the pixels there are, turned down by the bits it gives to each.
///
/// So it goes on choosing: a smaller picture still gets less. Encoders of 1.22 begin with another bitrate than the one
/// they have chosen, and keep an old one when the picture changes; they look again when anything is set.
struct PixelBitrate {
    private var dial: BitrateDial
    private let atFirst: Double
    /// The bits for each pixel that make what came out before.
    private var full: Double?
    /// What the encoder says it has chosen, after our last write.
    private var chosen: Double?
    /// Who chooses; nil as long as nobody has tried.
    private(set) var isAutomatic: Bool?

    /// Nil for an encoder that does not choose so.
    init?(_ encoder: ElementReference, _ table: EncoderBitrate) {
        guard case .bitsPerPixel(let property, let atFirst) = table.automatic else { return nil }
        dial = BitrateDial(encoder, property, isWhole: false)
        self.atFirst = atFirst
    }

    var isHeld: Bool { dial.isHeld }
    var share: Double { dial.share }

    /// The user has said who chooses.
    mutating func beginAnew() {
        _ = dial.turn(to: 1)
        (isAutomatic, full, chosen) = (nil, nil, nil)
    }

    /// Sets `share` of what the encoder made, which was `usual` bits per second; returns what that is, when it is new.
    ///
    /// `bitrate` is that of the encoder, of the pixels that `usual` was made of; it follows when it is automatic.
    mutating func turn(to share: Double, usual: Double?, bitrate: BitrateDial) -> Double? {
        let isUsers = dial.userHasSet()
        if share < 1, !dial.isHeld || isUsers {
            guard let present = dial.present, let now = bitrate.present else { return nil }
            guard present > 0, now > 0 else {
                // Before its first caps it has not chosen yet.
                if present <= 0 || usual != nil { isAutomatic = false }
                return nil
            }
            full = isUsers && dial.isHeld ? present : present * min(1, max(usual ?? 0, atFirst) / now)
        }
        let turned: (value: Double, isRefused: Bool)?
        if isAutomatic == nil, share < 1 {
            // Bitrates are rounded to kbit/s, so that only a large change shows whether there is an effect.
            let trial = share > 0.5 ? share / 2 : share
            let before = bitrate.present
            let tried = dial.turn(to: trial, isUsers: isUsers, own: full)
            guard bitrate.present != before else {
                // The user has set a bitrate.
                _ = dial.turn(to: 1)
                isAutomatic = false
                return nil
            }
            turned = trial == share ? tried : dial.turn(to: share, own: full)
        } else {
            turned = dial.turn(to: share, isUsers: isUsers, own: full)
        }
        guard let (value, _) = turned else {
            if chosen != nil, bitrate.present != chosen {
                dial.touch()
                chosen = bitrate.present
            }
            return nil
        }
        let after = bitrate.present
        isAutomatic = true
        chosen = after
        return share < 1 && value > 0 ? after : .infinity
    }
}
