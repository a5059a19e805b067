import CLanes

/// Gradient noise in one dimension, with a random slope at each whole coordinate; see docs/NTSC.md, "Gradient noise".
///
/// The result is not normalised; its magnitude is at most about 2.5.
@inline(__always)
func gradientNoise(_ x: Lanes, seed: LaneBits) -> Lanes {
    let cell = floor(x)
    let index = wholeBits(cell)
    return blend(
        slope(latticeHash(index ^ seed)), slope(latticeHash((index &+ LaneBits(repeating: 1)) ^ seed)), at: x - cell)
}

/// Noise in a cell with the slopes `left` and `right` at its ends; `u` is the position in the cell, from 0 to 1.
@inline(__always)
private func blend(_ left: Lanes, _ right: Lanes, at u: Lanes) -> Lanes {
    let (fadeOut, fadeIn, w) = fades(at: u)
    return fma(fadeOut * left, u, (fadeIn * right) * w)
}

/// Factors of the slopes at both ends of a cell; `u` is the position in the cell, from 0 to 1.
@inline(__always)
func slopeParts(at u: Lanes) -> (left: Lanes, right: Lanes) {
    let (fadeOut, fadeIn, w) = fades(at: u)
    return (fadeOut * u, fadeIn * w)
}

@inline(__always)
private func fades(at u: Lanes) -> (out: Lanes, in: Lanes, w: Lanes) {
    let w = u - Lanes(1)
    // (1 - u²)⁴, computed as (u² - 1)⁴.
    var fadeOut = fma(u, u, Lanes(-1))
    fadeOut *= fadeOut
    fadeOut *= fadeOut
    var fadeIn = fma(w, w, Lanes(-1))
    fadeIn *= fadeIn
    fadeIn *= fadeIn
    return (fadeOut, fadeIn, w)
}

/// Slope at a lattice point; `seed` is a result of `hashSeed`.
@inline(__always)
func latticeSlope(_ index: LaneBits, _ seed: LaneBits) -> Lanes { slope(latticeHash(index, seed)) }

/// Hash of a number; `seed` is a result of `hashSeed`.
@inline(__always)
func latticeHash(_ value: LaneBits, _ seed: LaneBits) -> LaneBits { scrambled(value ^ seed) }

/// A seed combined with a constant of the hash, once for many points.
@inline(__always)
func hashSeed(_ seed: LaneBits) -> LaneBits { seed ^ LaneBits(repeating: 2_747_636_419) }

/// Sum of `count` octaves of gradient noise: each has twice the frequency of the previous one, and equal strength.
@inline(__always)
func octaves(_ count: Int32, of coordinate: Lanes, frequency: Lanes, seed: LaneBits) -> Lanes {
    var x = coordinate * frequency
    var sum = gradientNoise(x, seed: seed)
    var octavesLeft = count - 1
    while octavesLeft > 0 {
        x *= Lanes(2)
        sum += gradientNoise(x, seed: seed)
        octavesLeft -= 1
    }
    return sum
}

/// The integer hash of Schechter and Bridson, "Evolving sub-grid turbulence for smoke animation" (2008).
@inline(__always)
func latticeHash(_ value: LaneBits) -> LaneBits { scrambled(hashSeed(value)) }

@inline(__always)
private func scrambled(_ value: LaneBits) -> LaneBits {
    let factor = LaneBits(repeating: 2_654_435_769)
    let half = LaneBits(repeating: 16)
    var v = value &* factor
    v = (v ^ (v &>> half)) &* factor
    return (v ^ (v &>> half)) &* factor
}

/// Slope of a hash: ±1 … ±8, positive if bit 31 is set.
@inline(__always)
private func slope(_ hash: LaneBits) -> Lanes {
    #if arch(arm64)
        clanes_slopes(hash)
    #else
        let size = ((hash &>> LaneBits(repeating: 28)) & LaneBits(repeating: 7)) &+ LaneBits(repeating: 1)
        return lanes(bits: bits(float(size)) | (~hash & LaneBits(repeating: 0x8000_0000)))
    #endif
}
