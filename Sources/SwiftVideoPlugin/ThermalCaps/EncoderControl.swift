import GStreamer
import StreamControl

/// Lowers the bitrate of one encoder, gives it back, and looks whether it obeys.
///
/// Belongs to the thread that decides.
struct EncoderControl {
    let encoder: ElementReference
    private let table: EncoderBitrate
    private var lever = BitrateLever()
    private var companions: [String: BitrateLever] = [:]
    private let meter: ByteMeter?
    /// What left the encoder before a change, and since when.
    private var mark: (bytes: UInt64, at: Duration)
    /// Bits per second, when that was last measured for long enough.
    private var usual = 0.0
    private var check: BitrateCheck?
    private(set) var share = 1.0

    /// Nil for an encoder that is not in the table.
    init?(_ encoder: ElementReference, now: Duration) {
        guard let table = EncoderBitrate.of(factory: encoder.factory) else { return nil }
        self.encoder = encoder
        self.table = table
        meter = encoder.countBytes()
        mark = (0, now)
    }

    /// Sets the bitrate to `share` of what the user has set.
    mutating func move(to share: Double, now: Duration) {
        defer { self.share = share }
        guard let present else { return }
        let measured = measuredBitrate(now)
        if let measured, self.share == 1 || usual == 0 { usual = measured }
        let automatic = measured.map { UInt64($0) / table.bitsPerUnit }
        guard let value = lever.move(to: share, present: present, automatic: automatic) else { return }
        write(value)
        if let present = self.present { lever.wrote(as: present) }
        for name in table.companions {
            guard let present = encoder.number(name) else { continue }
            if let value = companions[name, default: BitrateLever()].move(to: share, present: present) {
                encoder.set(name, to: value)
            }
        }
        check =
            share < self.share
            ? BitrateCheck(before: usual, asked: Double(value) * Double(table.bitsPerUnit), at: now) : nil
        mark = (meter?.bytes ?? 0, now)
    }

    /// What came out since the last change, once it is long enough ago to tell.
    mutating func look(now: Duration) -> (verdict: BitrateCheck.Verdict, bitsPerSecond: Double)? {
        guard let found = check?.look(bytes: meter?.bytes ?? 0, now: now) else { return nil }
        check = nil
        mark = (meter?.bytes ?? 0, now)
        return found
    }

    private var present: UInt64? {
        switch table.form {
        case .number: encoder.number(table.property)
        case .control(let field): encoder.control(field, in: table.property)
        }
    }

    private func write(_ value: UInt64) {
        switch table.form {
        case .number: encoder.set(table.property, to: value)
        case .control(let field): encoder.set(field, in: table.property, to: value)
        }
    }

    /// Bits per second since the last change; nil when that is too short a time.
    private func measuredBitrate(_ now: Duration) -> Double? {
        guard let meter else { return nil }
        let seconds = (now - mark.at) / .seconds(1)
        let bytes = meter.bytes &- mark.bytes
        return seconds >= 1 && bytes > 0 && bytes < 1 << 50 ? Double(bytes) * 8 / seconds : nil
    }
}
