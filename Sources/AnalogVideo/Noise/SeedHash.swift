/// Computes a seed from a sequence of little-endian integers: their SipHash-2-4 with key 0.
///
/// J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF". The width of each integer affects the hash.
/// See docs/NTSC.md, "Seeds".
struct SeedHash {
    private var v0: UInt64 = 0x736f_6d65_7073_6575
    private var v1: UInt64 = 0x646f_7261_6e64_6f6d
    private var v2: UInt64 = 0x6c79_6765_6e65_7261
    private var v3: UInt64 = 0x7465_6462_7974_6573
    /// Bytes that do not fill a word of 64 bits yet; the first byte is in the lowest bits.
    private var pending: UInt64 = 0
    private var pendingBytes: UInt64 = 0
    private var length: UInt64 = 0

    init() {}

    /// Begins with the setting `random-seed` and the number of the stream.
    init(seed: Int32, stage: NoiseStage) {
        append(UInt64(UInt32(bitPattern: seed)))
        append(stage.rawValue)
    }

    mutating func append(_ number: UInt64) { append(number, bytes: 8) }

    mutating func append(_ number: Int32) { append(UInt64(UInt32(bitPattern: number)), bytes: 4) }

    func adding(_ number: UInt64) -> SeedHash {
        var longer = self
        longer.append(number)
        return longer
    }

    func adding(_ number: Int32) -> SeedHash {
        var longer = self
        longer.append(number)
        return longer
    }

    /// Hash of the integers so far.
    var value: UInt64 {
        var end = self
        end.absorb(pending | (length << 56))
        end.v2 ^= 0xff
        for _ in 0..<4 { end.round() }
        return end.v0 ^ end.v1 ^ end.v2 ^ end.v3
    }

    /// Low half of the hash as a signed number.
    var int32: Int32 { Int32(truncatingIfNeeded: value) }

    /// The hash as a number from 0 to below 1.
    var unitFloat: Float { unitNumber(UInt32(truncatingIfNeeded: value)) }

    private mutating func append(_ number: UInt64, bytes: UInt64) {
        length &+= bytes
        pending |= number << (pendingBytes * 8)
        guard pendingBytes + bytes >= 8 else {
            pendingBytes += bytes
            return
        }
        absorb(pending)
        pending = pendingBytes == 0 ? 0 : number >> ((8 - pendingBytes) * 8)
        pendingBytes = (pendingBytes + bytes) - 8
    }

    private mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 = v0 &+ v1
        v2 = v2 &+ v3
        v1 = rotated(v1, 13) ^ v0
        v3 = rotated(v3, 16) ^ v2
        v0 = rotated(v0, 32)
        v2 = v2 &+ v1
        v0 = v0 &+ v3
        v1 = rotated(v1, 17) ^ v2
        v3 = rotated(v3, 21) ^ v0
        v2 = rotated(v2, 32)
    }
}

/// Random streams; each has its own number, so that no two stages use the same random numbers.
enum NoiseStage: UInt64 {
    case composite, chromaI, headSwitching, tracking, chromaPhase, edgeWave, snow, chromaLoss, midLineJitter, chromaQ
    case luma, lineSync, fieldSync
}

/// Bits as a number from 0 to below 1.
@inline(__always)
func unitNumber(_ bits: UInt32) -> Float { Float(bitPattern: (bits >> 9) | 0x3F80_0000) - 1 }

@inline(__always)
func rotated(_ x: UInt64, _ count: UInt64) -> UInt64 { (x << count) | (x >> (64 - count)) }
