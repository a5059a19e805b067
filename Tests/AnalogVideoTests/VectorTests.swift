import AnalogVideoModel
import AnalogVideoPlayer
import TestSupport
import Testing

#if arch(x86_64)
    // The build with fused multiply-add, which the reference uses.
    @testable import AnalogVideoAVX2

    private let isSupported = PlayerVariant.avx2.isSupported
#else
    @testable import AnalogVideo

    private let isSupported = true
#endif

/// Compares random numbers, noise and coefficients with the values of the reference, which must be equal in every bit.
///
/// The formulas are in docs/NTSC.md, "Random numbers" and docs/NTSC.md, "Filter designs".
@Suite(.enabled(if: isSupported))
struct VectorTests {

    // MARK: Random numbers

    private let row = SeedHash(seed: 0, stage: .composite).adding(10 as UInt64).adding(0 as UInt64)

    @Test func hashesEqualSipHash() {
        #expect(SeedHash().value == 0x1e92_4b9d_7377_00d7)
        #expect(row.value == 0x5f2f_6305_0c26_1add)
        let tracking = SeedHash(seed: 0, stage: .tracking).adding(10 as UInt64)
        #expect(tracking.adding(0 as Int32).value == 0x54bf_7c71_817c_c30e)
        #expect(tracking.adding(0 as Int32).int32 == -2_122_530_034)
        #expect(tracking.adding(0 as Int32).unitFloat == 0.5058099)
        #expect(tracking.adding(2 as Int32).adding(5 as UInt64).value == 0x4e62_f282_e822_a8f2)
    }

    @Test func negativeSeedIsHashedByItsBitPattern() {
        var expected = SeedHash()
        expected.append(0xFFFF_FFF9 as UInt64)
        expected.append(0 as UInt64)
        #expect(SeedHash(seed: -7, stage: .composite).value == expected.value)
    }

    @Test func generatorEqualsXoshiro() {
        var generator = Generator(row)
        #expect(
            generator.state == (
                0xca0b_277e_b388_c5d4, 0x0ead_b469_f795_f7cc, 0x3f67_4c03_6956_815f, 0xcdff_7faf_31fb_2370
            ))
        #expect(generator.next() == 0x60fd_e973_55d4_cb27)
        #expect(generator.next() == 0x9ac1_9c2d_90d8_0a2a)
        #expect(generator.next() == 0x2075_0e6a_b620_3b59)
        var noise = Generator(row)
        #expect(noise.nextUInt32() == 1_627_253_107)
        #expect(noise.nextFloat() == 0.60451674)
    }

    @Test func jumpEqualsThePublishedJump() {
        var generator = Generator(row)
        generator.jump()
        #expect(
            generator.state == (
                0xd7fa_1231_73e0_042c, 0x8d7f_eb55_3477_d2e0, 0x2d6e_b1ce_e5d9_d81e, 0x320b_8a4b_40e6_4bbc
            ))
    }

    @Test func extremeProbabilitiesDoNotTrap() {
        var generator = Generator(seed: 1)
        for probability in [0, 1e-300, 0.5, 1, 2, .nan, .infinity] as [Double] {
            #expect((0...(1 << 48)).contains(generator.geometric(probability)))
        }
    }

    // MARK: Noise

    @Test func latticeHashEqualsTheReference() {
        #expect(latticeHash(LaneBits(repeating: 0))[0] == 0x67b2_772f)
        #expect(latticeHash(LaneBits(repeating: 1))[rowsPerBlock - 1] == 0x08fc_aab9)
    }

    @Test(
        arguments: [
            (0.25, 0, 0xbfa9_8480), (1.5, 0, 0x3f4a_8000), (12.3, 12_345, 0xbf3e_31ab), (-3.7, -99, 0x3f25_f282),
        ] as [(Float, Int32, UInt32)])
    func gradientNoiseEqualsTheReference(x: Float, seed: Int32, expected: UInt32) {
        let noise = gradientNoise(Lanes(repeating: x), seed: LaneBits(repeating: UInt32(bitPattern: seed)))
        for lane in 0..<rowsPerBlock { #expect(noise[lane].bitPattern == expected) }
    }

    @Test(
        arguments: [
            (0.3, 0.1, 0xbb8e_a376), (12.6, 4, 0x3c81_a6bc), (-1.2, 7.7, 0xbc49_b4f7),
        ] as [(Float, Float, UInt32)])
    func simplexNoiseEqualsTheReference(x: Float, y: Float, expected: UInt32) {
        #expect(simplexNoise(x, y, seed: 42).bitPattern == expected)
    }

    @Test func cornerHashEqualsPCG3D() { #expect(pcg3D(1, 2, 3) == 0xfa9f_79a6) }

    /// Every coordinate above 2^24 is a lattice point, at which noise is 0.
    @Test(
        arguments: [
            (.nan, 0, 0), (.infinity, 16_777_216, 0), (-.infinity, -16_777_217, 0), (1e30, 16_777_216, 0),
            (-1e30, -16_777_217, 1),
        ] as [(Float, Int, Float)])
    func noiseAndShiftsOfAbsurdCoordinatesAreBounded(x: Float, whole: Int, fraction: Float) {
        if x.isFinite {
            #expect(abs(simplexNoise(x, x, seed: 1)) <= 1)
            #expect(gradientNoise(Lanes(repeating: x), seed: LaneBits(repeating: 1)) == Lanes(repeating: 0))
        } else {
            #expect(simplexNoise(x, x, seed: 1).isNaN)
            #expect(gradientNoise(Lanes(repeating: x), seed: LaneBits(repeating: 1))[0].isNaN)
        }
        #expect(RowShift(x).whole == whole && RowShift(x).fraction == fraction)
    }

    // MARK: Filters

    @Test func notchCoefficientsEqualTheReference() {
        let notch = Filter.notch(frequency: 0.5, quality: 2)
        #expect(notch.b0 == 0.70710677)
        #expect(notch.a2 == 0.41421354)
        #expect(abs(notch.b1 - 6.1817e-8) < 1e-12)
    }

    @Test(
        arguments: [
            (1.3e6, 0.057297632, -1.2181349, 0.44732547), (0.6e6, 0.01455298, -1.6309284, 0.68914032),
            (1.9e6, 0.10761094, -0.88224447, 0.3126882),
        ] as [(Float, Float, Float, Float)])
    func butterworthCoefficientsEqualTheReference(cutoff: Float, b0: Float, a1: Float, a2: Float) {
        let filter = Filter.butterworth(cutoff: cutoff, rate: TelevisionStandard.ntsc.sampleRate)
        #expect(filter.b0 == b0)
        #expect(filter.a1 == a1)
        #expect(filter.a2 == a2)
    }

    @Test func constantKCoefficientsEqualTheReference() {
        let filter = Filter.constantK(cutoff: 1.3e6, rate: TelevisionStandard.ntsc.sampleRate)
        #expect(filter.b0 == 0.047930762)
        #expect(filter.a1 == -1.9102521)
        #expect(filter.a2 == 1.2163544)
        #expect(filter.a3 == -0.25817150)
    }

    @Test func mixedCoefficientsEqualTheReference() {
        let carrier: Float = 315e6 / 88 / 2
        let sharpened = Filter.onePole(cutoff: carrier, rate: TelevisionStandard.ntsc.sampleRate).mixed(-1)
        #expect(sharpened.b0 == 1.5600991)
        #expect(sharpened.b1 == -1.1201982)
        #expect(sharpened.a1 == -0.56009912)
        #expect(Filter.onePole(cutoff: 0.0625, rate: 1).b0 == 0.28196982)
        let ringing = Filter.notch(frequency: 0.45, quality: 4).mixed(4)
        #expect(ringing.b0 == 0.39392257)
        #expect(ringing.b1 == -0.26546323)
        #expect(ringing.b2 == 1.3030388)
        #expect(ringing.a1 == -0.26546326)
        #expect(ringing.a2 == 0.69696128)
    }
}
