import AnalogVideoModel
import SignalSupport
import Testing

@testable import AnalogVideo

/// Tests the division of pictures into bands, for all settings that affect the division.
struct BandTests {
    private static let heights = [1, 2, 15, 17, 64, 100, 471, 1080]
    private static let scans: [Scan] = [
        .progressive, .interlaced(topFieldFirst: true), .oneField(isTop: false),
        .separateField(isSecond: true, isTop: false),
    ]

    /// Jobs for pictures in `format` in up to seven bands, with all settings for which a band reads rows of others.
    private static func jobs(_ format: PixelFormat, _ useField: UseField, isCosited: Bool) -> [PlayerJob] {
        var settings = NTSCSettings()
        settings.useField = useField
        var jobs: [PlayerJob] = []
        for (height, scan) in heights.flatMap({ height in scans.map { (height, $0) } }) {
            for delay in [0, 12, -12] as [Int32] {
                for (demodulation, standard) in [
                    (ChromaDemodulation.notch, TelevisionStandard.ntsc), (.twoLineComb, .ntsc), (.twoLineComb, .pal),
                ] {
                    for blends in [true, false] {
                        settings.standard = standard
                        settings.chromaDelayVertical = delay
                        settings.chromaDemodulation = demodulation
                        settings.vhsChromaVertBlend = blends
                        var layout = PictureLayout(format: format, width: 2, height: height, stride: 8)
                        layout.colour.isCositedVertically = isCosited
                        jobs += [1, 2, 3, 7].map {
                            // The test reads no rows of the picture.
                            unsafe PlayerJob(
                                Picture([nil, nil, nil], layout: layout), frame: 4,
                                PlayerJob.Plan(layout, scan, settings, bands: $0), pictureHeight: height)
                        }
                    }
                }
            }
        }
        return jobs
    }

    @Test(arguments: [PixelFormat.bgrx, .i420], UseField.allCases)
    func everyRowBelongsToOneBand(format: PixelFormat, useField: UseField) {
        for job in Self.jobs(format, useField, isCosited: false) {
            let bands = (0..<job.bands.bandCount).map { job.bands[$0] }
            #expect(bands.first?.slabs.lowerBound == 0)
            #expect(bands.last?.slabs.upperBound == max(job.fields[0].run.blockCount, job.fields[1].run.blockCount))
            for (band, next) in zip(bands, bands.dropFirst()) {
                #expect(band.slabs.upperBound == next.slabs.lowerBound)
            }
            for plane in 0..<format.planeCount {
                let own = bands.map { $0.rows[plane].own }
                #expect(own.first?.lowerBound == 0)
                for (rows, next) in zip(own, own.dropFirst()) { #expect(rows.upperBound == next.lowerBound) }
                let lastRow =
                    (0..<job.fieldCount).map { job.fields[$0].run }
                    .map { $0.firstRow + ($0.rowCount - 1) * $0.rowStep }.max() ?? 0
                let end = plane == 0 ? lastRow + 1 : job.picture.rowCounts[plane]
                #expect((own.last?.upperBound ?? 0) >= end)
            }
        }
    }

    /// Bands that read rows of others or have tracking noise are shorter, but have at least 32 rows of a field.
    @Test(arguments: [PixelFormat.bgrx, .i420], UseField.allCases)
    func noBandIsTooShort(format: PixelFormat, useField: UseField) {
        for job in Self.jobs(format, useField, isCosited: false) where job.bands.bandCount > 1 {
            for band in 0..<job.bands.bandCount {
                #expect(job.bands[band].slabs.count >= 32 / rowsPerBlock)
            }
        }
    }

    /// Number of slabs in each band of a picture of 1080 rows; a slab is one block of rows of each field.
    private static func slabCounts(_ settings: NTSCSettings, bands: Int) -> [Int] {
        let layout = PictureLayout(format: .bgrx, width: 2, height: 1080, stride: 8)
        // The test reads no rows of the picture.
        let job = unsafe PlayerJob(
            Picture([nil, nil, nil], layout: layout), frame: 4,
            PlayerJob.Plan(layout, .progressive, settings, bands: bands), pictureHeight: 1080)
        return (0..<job.bands.bandCount).map { job.bands[$0].slabs.count }
    }

    @Test func bandsThatReadNothingOfOthersAreEqual() {
        var settings = NTSCSettings()
        settings.vhsChromaVertBlend = false
        settings.trackingNoise = false
        for bands in 2...5 {
            let counts = Self.slabCounts(settings, bands: bands)
            #expect(counts.count == bands)
            #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
        }
    }

    @Test func bandsThatComputeSlabsOfOthersAreShorter() {
        var settings = NTSCSettings()
        settings.trackingNoise = false
        settings.chromaDemodulation = .twoLineComb
        // 100 rows are seven blocks of sixteen rows, or thirteen blocks of eight rows.
        settings.chromaDelayVertical = 100
        settings.scaleWithVideoSize = false
        let counts = Self.slabCounts(settings, bands: 2)
        #expect(counts.count == 2)
        #expect(counts[0] > counts[1] + 2)
    }

    @Test func bandsWithTrackingNoiseAreShorter() {
        var settings = NTSCSettings()
        settings.vhsChromaVertBlend = false
        settings.scaleWithVideoSize = false
        settings.trackingNoiseHeight = 270
        let counts = Self.slabCounts(settings, bands: 2)
        // The lower half of a field of 540 rows has noise and takes 1.5 times as long: the bands have 315 and 225 rows.
        #expect(abs(counts[0] - 315 / rowsPerBlock) <= 1)
        #expect(counts[0] + counts[1] == (540 + rowsPerBlock - 1) / rowsPerBlock)
        settings.trackingNoiseHeight = 100_000
        #expect(Self.slabCounts(settings, bands: 2).count == 2)
    }

    /// Tests that each row that a band reads belongs to the band, or is copied before any band writes.
    @Test(arguments: [PixelFormat.bgrx, .i420], UseField.allCases)
    func everyRowReadByABandIsItsOwnOrACopy(format: PixelFormat, useField: UseField) {
        for job in [false, true].flatMap({ Self.jobs(format, useField, isCosited: $0) }) {
            var missing: [String] = []
            for index in 0..<job.bands.bandCount {
                let band = job.bands[index]
                for field in 0..<job.fieldCount {
                    for rows in Self.rowsRead(band, job.fields[field]) {
                        let chroma = ChromaRows(rows, job.picture, job.fields[field].chromaStorage)
                        for lane in 0..<rowsPerBlock {
                            missing += Self.missing(rows[lane], band.rows[0])
                            guard format.planeCount > 1, rows[lane] != nil else { continue }
                            missing += Self.missing(chroma.near[lane], band.rows[1])
                            missing += Self.missing(chroma.far[lane], band.rows[1])
                        }
                    }
                }
            }
            #expect(missing.isEmpty)
        }
    }

    /// The rows of the blocks that a band encodes.
    private static func rowsRead(_ band: Band, _ field: PlayerJob.Field) -> [PictureRows] {
        let first = max(0, band.computedSlabs.lowerBound - field.path.reach.above)
        let end = min(band.slabs.upperBound + field.path.reach.below, field.run.blockCount)
        return (first..<max(first, end)).map { field.run.rows(ofBlock: $0) }
    }

    private static func missing(_ row: Int?, _ rows: BandRows) -> [String] {
        guard let row, !rows.own.contains(row), !rows.above.contains(row), !rows.below.contains(row) else { return [] }
        return ["row \(row) of \(rows.above) \(rows.own) \(rows.below)"]
    }
}
