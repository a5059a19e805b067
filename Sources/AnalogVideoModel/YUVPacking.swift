/// Positions and subsampling of the components of a Y'CbCr format.
public struct YUVPacking: Sendable, Equatable {
    /// Position of the samples of one component in the rows of a plane.
    public struct Place: Sendable, Equatable {
        /// Index of the plane.
        public let plane: Int
        /// Offset of the first sample, in bytes.
        public let offset: Int
        /// Distance between two samples, in bytes: 1, 2 or 4.
        public let step: Int
        /// Number of unused bits below the code of a sample.
        public let unusedBits: Int
        /// Bytes of a sample: 1 or 2.
        public let sampleBytes: Int

        init(_ plane: Int, at offset: Int = 0, step: Int, sampleBytes: Int = 1, unusedBits: Int = 0) {
            self.plane = plane
            self.offset = offset
            self.step = step
            self.sampleBytes = sampleBytes
            self.unusedBits = unusedBits
        }
    }

    /// Place of luma.
    public let luma: Place
    /// Place of Cb; nil if there is only luma.
    public let chromaBlue: Place?
    /// Place of Cr; nil if there is only luma.
    public let chromaRed: Place?
    /// 1 if chroma is subsampled horizontally, otherwise 0.
    public let horizontalShift: Int
    /// 1 if chroma is subsampled vertically, otherwise 0.
    public let verticalShift: Int
    /// Number of bits in the code of a sample.
    public let depth: Int

    init(
        _ luma: Place, _ chromaBlue: Place?, _ chromaRed: Place?, halved: (Bool, Bool),
        depth: Int = 8
    ) {
        self.luma = luma
        self.chromaBlue = chromaBlue
        self.chromaRed = chromaRed
        horizontalShift = halved.0 ? 1 : 0
        verticalShift = halved.1 ? 1 : 0
        self.depth = depth
    }

    /// A 4:2:2 format of one plane; the offsets of the components are in bytes.
    static func packed(luma: Int, blue: Int, red: Int) -> YUVPacking {
        YUVPacking(
            Place(0, at: luma, step: 2), Place(0, at: blue, step: 4),
            Place(0, at: red, step: 4), halved: (true, false))
    }
}

extension PixelFormat {
    /// Positions of luma and chroma; nil for R'G'B' formats.
    public var yuv: YUVPacking? {
        let luma = YUVPacking.Place(0, step: 1)
        let (second, third) = (YUVPacking.Place(1, step: 1), YUVPacking.Place(2, step: 1))
        let (even, odd) = (YUVPacking.Place(1, step: 2), YUVPacking.Place(1, at: 1, step: 2))
        return switch self {
        case .i420: YUVPacking(luma, second, third, halved: (true, true))
        case .yv12: YUVPacking(luma, third, second, halved: (true, true))
        case .nv12: YUVPacking(luma, even, odd, halved: (true, true))
        case .nv21: YUVPacking(luma, odd, even, halved: (true, true))
        case .y42b: YUVPacking(luma, second, third, halved: (true, false))
        case .y444: YUVPacking(luma, second, third, halved: (false, false))
        case .yuy2: .packed(luma: 0, blue: 1, red: 3)
        case .uyvy: .packed(luma: 1, blue: 0, red: 2)
        case .yvyu: .packed(luma: 0, blue: 3, red: 1)
        case .vyuy: .packed(luma: 1, blue: 2, red: 0)
        case .ayuv:
            YUVPacking(
                YUVPacking.Place(0, at: 1, step: 4), YUVPacking.Place(0, at: 2, step: 4),
                YUVPacking.Place(0, at: 3, step: 4), halved: (false, false))
        case .i420Of10:
            YUVPacking(
                YUVPacking.Place(0, step: 2, sampleBytes: 2), YUVPacking.Place(1, step: 2, sampleBytes: 2),
                YUVPacking.Place(2, step: 2, sampleBytes: 2), halved: (true, true), depth: 10)
        case .p010:
            YUVPacking(
                YUVPacking.Place(0, step: 2, sampleBytes: 2, unusedBits: 6),
                YUVPacking.Place(1, step: 4, sampleBytes: 2, unusedBits: 6),
                YUVPacking.Place(1, at: 2, step: 4, sampleBytes: 2, unusedBits: 6), halved: (true, true), depth: 10)
        case .gray8: YUVPacking(luma, nil, nil, halved: (false, false))
        default: nil
        }
    }
}
