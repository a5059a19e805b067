import AnalogVideoModel

/// One picture with its fields and signal paths, shared by the bands.
///
/// A picture reuses the job of the previous picture if both have the same `Plan` and the same rows in their fields.
struct PlayerJob {
    /// Values that determine the bands, and together with the frame number also the fields.
    struct Plan: Equatable {
        let format: PixelFormat
        let width: Int
        let height: Int
        let colour: ColourCoding
        let scan: Scan
        let settings: NTSCSettings
        let bands: Int

        init(_ layout: PictureLayout, _ scan: Scan, _ settings: NTSCSettings, bands: Int) {
            (format, width, height, colour) = (layout.format, layout.width, layout.height, layout.colour)
            (self.scan, self.settings, self.bands) = (scan, settings, bands)
        }

        func fields(frame: UInt64) -> (FieldRun, FieldRun?) {
            FieldRun.plan(frame: frame, scan: scan, useField: settings.useField, height: height)
        }
    }

    struct Field {
        let index: Int
        fileprivate(set) var run: FieldRun
        fileprivate(set) var path: SignalPath
        let chromaStorage: ChromaStorage
        /// Whether a row of vertically subsampled chroma belongs to one row of each field.
        let sharesChroma: Bool

        /// Weight of the upper row in chroma sited between two rows of the field.
        var fillingAbovePart: Float { run.firstRow == 0 ? 0.75 : 0.25 }

        /// Whether the field and `other` are equal except for their frame numbers.
        fileprivate func isLike(_ other: FieldRun) -> Bool {
            var same = other
            same.frame = run.frame
            return same == run
        }
    }

    private let plan: Plan
    private(set) var picture: Picture
    /// Fields in the order of their first rows; a single field is stored twice.
    private(set) var fields: InlineArray<2, Field>
    let fieldCount: Int
    let bands: BandPlan

    /// Whether a row of a field can be that of any row of the picture.
    var readsOtherRows: Bool { fields[0].path.roll != nil }

    init(_ picture: Picture, frame: UInt64, _ plan: Plan, pictureHeight: Int) {
        let layout = picture.layout
        let (first, second) = plan.fields(frame: frame)
        let settings = plan.settings
        let storage: ChromaStorage =
            switch plan.scan {
            case .interlaced, .oneField: .interleaved
            case .progressive: .progressive
            case .separateField(_, let isTop): .field(isTop: isTop)
            }
        let isHalved = layout.format.yuv?.verticalShift == 1
        self.plan = plan
        self.picture = picture
        fieldCount = second == nil ? 1 : 2
        let fields = InlineArray<2, Field> { index in
            let run = index == 0 ? first : second ?? first
            let facts = FieldFacts(
                width: layout.width, pictureHeight: pictureHeight, hasColour: layout.format != .gray8, run: run,
                settings: settings)
            return Field(
                index: index, run: run, path: SignalPath(settings, facts), chromaStorage: storage,
                sharesChroma: isHalved && second != nil && storage == .progressive)
        }
        self.fields = fields
        self.bands = BandPlan(fields[0], fields[1], picture, bands: plan.bands)
    }

    /// Replaces the picture and the frame numbers of the fields; returns false if the picture requires a new job.
    mutating func begin(_ picture: Picture, frame: UInt64, _ plan: Plan) -> Bool {
        guard plan == self.plan else { return false }
        let (first, second) = plan.fields(frame: frame)
        guard fields[0].isLike(first), fields[1].isLike(second ?? first) else { return false }
        self.picture = picture
        for index in 0..<2 {
            let run = index == 0 ? first : second ?? first
            fields[index].run = run
            fields[index].path.begin(frame: run.frame)
        }
        return true
    }
}
