import AnalogVideoModel

/// Plays pictures of one size through the signal path, in one pass and in place.
///
/// A picture is divided into bands, which run in parallel, and a band into slabs. A slab is one block of rows of
/// each field. It passes all stages, from its input pixels to its output pixels, while it is in the cache.
public final class Player: NTSCPlayer {
    private let width: Int
    private let height: Int
    private let pictureHeight: Int
    private var lostRows: InlineArray<2, [UInt8]>
    private var bandMemories: [BandMemory] = []
    private var copy = PictureCopy()
    /// The last picture; its pixels are valid only while `isRunning`.
    private var job: PlayerJob?
    private var isRunning = false

    private final class BandMemory {
        var workspace: Workspace

        init?(width: Int) {
            guard let workspace = Workspace(width: width) else { return nil }
            self.workspace = workspace
        }
    }

    /// Returns nil if memory for pictures of this size is refused.
    public init?(width: Int, height: Int, pictureHeight: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
        self.pictureHeight = pictureHeight
        let rows = self.height
        lostRows = InlineArray { _ in Array(repeating: 0, count: rows) }
        super.init()
        reserve(bands: 1)
        guard !bandMemories.isEmpty else { return nil }
    }

    public override func reserve(bands: Int) {
        let useful = max(1, min(bands, BandPlan.mostBands(height: height)))
        while bandMemories.count < useful, let memory = BandMemory(width: width) {
            bandMemories.append(memory)
        }
    }

    @_lifetime(plane: copy plane)
    @_lifetime(plane1: copy plane1)
    @_lifetime(plane2: copy plane2)
    public override func play(
        _ plane: inout MutableSpan<UInt8>, _ plane1: inout MutableSpan<UInt8>, _ plane2: inout MutableSpan<UInt8>,
        layout: PictureLayout, frame: UInt64, scan: Scan, settings: NTSCSettings, bands: Int, runner: any BandRunner
    ) -> Bool {
        guard layout.width == width, layout.height <= height,
            layout.fits(in: [plane.count, plane1.count, plane2.count])
        else { return false }
        return unsafe plane.withUnsafeMutableBytes { bytes in
            unsafe plane1.withUnsafeMutableBytes { bytes1 in
                unsafe plane2.withUnsafeMutableBytes { bytes2 in
                    let planes = unsafe [bytes.baseAddress, bytes1.baseAddress, bytes2.baseAddress] as InlineArray
                    let picture = unsafe Picture(planes, layout: layout)
                    return run(picture, frame: frame, scan: scan, settings, bands, runner)
                }
            }
        }
    }

    private func run(
        _ picture: Picture, frame: UInt64, scan: Scan, _ settings: NTSCSettings, _ bands: Int, _ runner: any BandRunner
    ) -> Bool {
        let plan = PlayerJob.Plan(picture.layout, scan, settings, bands: min(bands, bandMemories.count))
        if job?.begin(picture, frame: frame, plan) != true {
            job = PlayerJob(picture, frame: frame, plan, pictureHeight: pictureHeight)
        }
        guard let job else { return false }
        for field in 0..<job.fieldCount {
            guard let loss = job.fields[field].path.chromaLoss else { continue }
            var rows = lostRows[field].mutableSpan
            loss.chooseRows(
                &rows, job.fields[field].path.field, generations: job.fields[field].path.generationCount)
        }
        let source = job.readsOtherRows ? copy.copy(picture) : nil
        guard (source != nil) == job.readsOtherRows else { return false }
        for band in 0..<job.bands.bandCount {
            guard bandMemories[band].workspace.prepare(job.bands[band], of: job, source: source) else { return false }
        }
        isRunning = true
        runner.run(self, bands: job.bands.bandCount)
        isRunning = false
        return true
    }

    public override func perform(band: Int) {
        guard isRunning, let job, band >= 0, band < job.bands.bandCount else { return }
        process(job.bands[band], of: job, job.fields[0], job.fields[1], &bandMemories[band].workspace)
    }

    /// Plays a band of `job`, whose fields are `first` and `second`.
    ///
    /// The fields are arguments, because each access to `job.fields` copies 6 kB.
    @inline(never)
    private func process(
        _ band: Band, of job: borrowing PlayerJob, _ first: borrowing PlayerJob.Field,
        _ second: borrowing PlayerJob.Field, _ workspace: inout Workspace
    ) {
        let firstSlab = band.computedSlabs.lowerBound
        let hasSecond = job.fieldCount == 2
        workspace.begin(field: 0, at: max(0, firstSlab - first.path.reach.above))
        if hasSecond { workspace.begin(field: 1, at: max(0, firstSlab - second.path.reach.above)) }
        for slab in band.computedSlabs {
            let isOwn = band.slabs.contains(slab)
            play(slab, of: first, job, isOwn: isOwn, &workspace)
            if hasSecond { play(slab, of: second, job, isOwn: isOwn, &workspace) }
            guard job.bands.playsAllStages(ofOwn: isOwn) else { continue }
            workspace.showSharedChroma(slab: slab, job, isOwn: isOwn)
        }
    }

    @inline(never)
    private func play(
        _ slab: Int, of field: borrowing PlayerJob.Field, _ job: borrowing PlayerJob, isOwn: Bool,
        _ workspace: inout Workspace
    ) {
        guard slab < field.run.blockCount else { return }
        let lostRows = lostRows[field.index]
        workspace.encode(through: slab, of: field, job, probe: probe)
        workspace.decode(block: slab, of: field, job, isOwn: isOwn, lostRows: lostRows.span, probe: probe)
    }
}
