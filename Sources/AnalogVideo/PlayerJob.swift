import AnalogVideoModel

/// One picture with its fields and signal paths; the bands share it.
struct PlayerJob {
    /// A field of the picture with its signal path.
    struct Field {
        let index: Int
        let run: FieldRun
        let path: SignalPath
        let chromaStorage: ChromaStorage
        /// Whether a row of vertically subsampled chroma belongs to one row of each field.
        let sharesChroma: Bool

        /// Weight of the upper row in chroma sited between two rows of the field.
        var fillingAbovePart: Float { run.firstRow == 0 ? 0.75 : 0.25 }
    }

    let picture: Picture
    /// The fields in the order of their first rows; a single field is stored twice.
    let fields: InlineArray<2, Field>
    let fieldCount: Int
    let bands: BandPlan

    init(
        _ picture: Picture, frame: UInt64, scan: Scan, _ settings: NTSCSettings, pictureHeight: Int, bands: Int,
        keptPaths: InlineArray<2, SignalPath?> = [nil, nil]
    ) {
        let layout = picture.layout
        let (first, second) = FieldRun.plan(
            frame: frame, scan: scan, useField: settings.useField, height: layout.height)
        let storage: ChromaStorage =
            switch scan {
            case .interlaced, .oneField: .interleaved
            case .progressive: .progressive
            case .separateField(_, let isTop): .field(isTop: isTop)
            }
        let isHalved = layout.format.yuv?.verticalShift == 1
        self.picture = picture
        fieldCount = second == nil ? 1 : 2
        let fields = InlineArray<2, Field> { index in
            let run = index == 0 ? first : second ?? first
            let facts = FieldFacts(
                width: layout.width, pictureHeight: pictureHeight, hasColour: layout.format != .gray8, run: run,
                settings: settings)
            return Field(
                index: index, run: run, path: SignalPath(settings, facts, reusing: keptPaths[index]),
                chromaStorage: storage,
                sharesChroma: isHalved && second != nil && storage == .progressive)
        }
        self.fields = fields
        self.bands = BandPlan(fields[0], fields[1], picture, bands: bands)
    }
}
