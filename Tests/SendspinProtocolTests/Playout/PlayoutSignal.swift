import Foundation
import SendspinProtocol

/// Conversions between interleaved samples and numbers, written independently of the code under test.
enum PlayoutSignal {
    static func sine(_ hertz: Double, frames: Int, amplitude: Double = 0.5.squareRoot(), rate: Double = 48_000)
        -> [Double]
    {
        (0..<frames).map { amplitude * sin(2 * .pi * hertz * Double($0) / rate) }
    }

    /// Copies the signal to all channels, inverted in odd channels.
    static func interleave(_ signal: [Double], channels: Int) -> [Double] {
        signal.flatMap { value in (0..<channels).map { $0 % 2 == 0 ? value : -value } }
    }

    static func encode(_ samples: [Double], _ format: SampleFormat) -> [UInt8] {
        samples.flatMap { value -> [UInt8] in
            let littleEndian = encode(value, format.encoding)
            return format.isBigEndian ? littleEndian.reversed() : littleEndian
        }
    }

    private static func encode(_ value: Double, _ encoding: SampleFormat.Encoding) -> [UInt8] {
        switch encoding {
        case .signed8: bytes(Int8((value * 127).rounded()), 1)
        case .unsigned8: bytes(UInt8(128 + (value * 127).rounded()), 1)
        case .signed16: bytes(Int16((value * 32767).rounded()), 2)
        case .signed24: bytes(Int32((value * 8_388_607).rounded()), 3)
        // The upper 8 bits are undefined.
        case .signed24in32: bytes((Int32((value * 8_388_607).rounded()) & 0xff_ffff) | 0x5a00_0000, 4)
        case .signed32: bytes(Int32((value * 2_147_483_647).rounded()), 4)
        case .float32: bytes(Float(value).bitPattern, 4)
        case .float64: bytes(value.bitPattern, 8)
        }
    }

    static func decode(_ data: [UInt8], _ format: SampleFormat) -> [Double] {
        stride(from: 0, to: data.count, by: format.bytes).map { start in
            var bits: UInt64 = 0
            for index in 0..<format.bytes {
                let place = format.isBigEndian ? format.bytes - 1 - index : index
                bits |= UInt64(data[start + place]) << UInt64(8 * index)
            }
            return switch format.encoding {
            case .signed8: Double(Int8(truncatingIfNeeded: bits)) / 128
            case .unsigned8: (Double(bits) - 128) / 128
            case .signed16: Double(Int16(truncatingIfNeeded: bits)) / 32768
            case .signed24: Double(Int32(truncatingIfNeeded: bits << 8) >> 8) / 8_388_608
            case .signed24in32: Double(Int32(truncatingIfNeeded: bits << 8) >> 8) / 8_388_608
            case .signed32: Double(Int32(truncatingIfNeeded: bits)) / 2_147_483_648
            case .float32: Double(Float(bitPattern: UInt32(bits)))
            case .float64: Double(bitPattern: bits)
            }
        }
    }

    /// Maximum error that rounding to the format causes in a correction.
    static func tolerance(_ format: SampleFormat) -> Double {
        switch format.encoding {
        case .signed8, .unsigned8: 2.0 / 128
        case .signed16: 1e-4
        default: 1e-6
        }
    }

    private static func bytes(_ value: some FixedWidthInteger, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Applies `plan` to `data`; nil if `FrameSplice` refuses the plan.
    static func apply(_ plan: CorrectionPlan, to data: [UInt8], _ format: SampleFormat, channels: Int) -> [UInt8]? {
        guard let splice = FrameSplice(format: format, channels: channels) else { return nil }
        var output = [UInt8](repeating: 0xaa, count: max(plan.outputFrames, 0) * channels * format.bytes)
        var target = output.mutableSpan
        var bytes = target.mutableBytes
        return splice.apply(plan, from: data.span.bytes, to: &bytes) ? output : nil
    }

    /// Largest difference of two successive samples.
    static func greatestStep(_ signal: [Double]) -> Double {
        zip(signal, signal.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    }

    /// Level of the loudest tone more than 500 Hz away from `hertz`, relative to the tone at `hertz`, in decibels.
    static func splatter(_ signal: [Double], around hertz: Double, rate: Double = 48_000) -> Double {
        let count = Double(signal.count)
        // Blackman-Harris window with side lobes at -92 dB.
        let windowed = signal.enumerated().map { index, value in
            let phase = 2 * Double.pi * (Double(index) + 0.5) / count
            return value * (0.35875 - 0.48829 * cos(phase) + 0.14128 * cos(2 * phase) - 0.01168 * cos(3 * phase))
        }
        func level(_ frequency: Double) -> Double {
            // Goertzel algorithm.
            let factor = 2 * cos(2 * .pi * frequency / rate)
            var (last, previous) = (0.0, 0.0)
            for value in windowed { (last, previous) = (value + factor * last - previous, last) }
            return last * last + previous * previous - factor * last * previous
        }
        let carrier = level(hertz)
        let others = stride(from: 50.0, to: rate / 2, by: 25).filter { abs($0 - hertz) > 500 }.map(level)
        return 10 * log10((others.max() ?? 0) / carrier)
    }
}

extension SampleFormat {
    static let signed16 = Self(.signed16)
    static let float64 = Self(.float64)

    /// All formats in both byte orders.
    static let all = Encoding.allCases.flatMap { encoding -> [Self] in
        let format = Self(encoding)
        return format.bytes == 1 ? [format] : [format, Self(encoding, isBigEndian: true)]
    }
}
