import AnalogVideoModel

/// Plays pictures of one size through the signal path, in two passes a field: to the composite signal, and back.
///
/// Both passes are cut into bands of blocks that run beside each other; between the passes all bands join, since a
/// comb and a vertical delay look at rows of other bands.
public final class Player: NTSCPlayer {
    /// Looks into the signal; for tests and benchmarks, with one band.
    public var probe: StageProbe?

    private let width: Int
    private let height: Int
    private let pictureHeight: Int
    private let field: CompositeField
    private var lostRows: [Bool]
    private var workspaces: [BandMemory] = []
    private var job: Job?

    /// Bands shorter than this many blocks would play a good part of their blocks twice.
    private static let shortestBand = 4

    /// What the bands work on at the moment.
    private struct Job {
        let path: SignalPath
        let picture: Picture
        let run: FieldRun
        let bands: Int
        var isDecoding = false

        var blockCount: Int { (run.rowCount + rowsPerBlock - 1) / rowsPerBlock }

        /// The blocks of a band.
        func blocks(_ band: Int) -> Range<Int> {
            (band * blockCount / bands)..<((band + 1) * blockCount / bands)
        }
    }

    private final class BandMemory {
        var workspace: Workspace

        init?(width: Int) {
            guard let workspace = Workspace(width: width) else { return nil }
            self.workspace = workspace
        }
    }

    /// Nil when there is no memory for pictures of this size.
    public init?(width: Int, height: Int, pictureHeight: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
        self.pictureHeight = pictureHeight
        guard let field = CompositeField(width: self.width, rows: self.height) else { return nil }
        self.field = field
        lostRows = Array(repeating: false, count: self.height)
        super.init()
        reserve(bands: 1)
        guard !workspaces.isEmpty else { return nil }
    }

    public override func reserve(bands: Int) {
        let useful = (height / 2) / rowsPerBlock / Self.shortestBand
        while workspaces.count < max(1, min(bands, useful)), let memory = BandMemory(width: width) {
            workspaces.append(memory)
        }
    }

    public override func play(
        _ pixels: inout MutableSpan<UInt8>, layout: PictureLayout, frame: UInt64, scan: Scan, settings: NTSCSettings,
        bands: Int, runner: any BandRunner
    ) {
        guard layout.width == width, layout.height <= height, layout.fits(in: pixels.count) else { return }
        let bands = min(max(bands, 1), workspaces.count)
        unsafe pixels.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let picture = unsafe Picture(base, layout: layout)
            let (first, second) = FieldRun.plan(
                frame: frame, scan: scan, useField: settings.useField, height: layout.height)
            play(first, picture, settings, bands, runner)
            if let second { play(second, picture, settings, bands, runner) }
        }
    }

    private func play(
        _ run: FieldRun, _ picture: Picture, _ settings: NTSCSettings, _ bands: Int, _ runner: any BandRunner
    ) {
        let facts = FieldFacts(width: width, pictureHeight: pictureHeight, run: run, settings: settings)
        let path = SignalPath(settings, facts)
        if let loss = path.chromaLoss {
            var rows = lostRows.mutableSpan
            loss.chooseRows(&rows, rowCount: run.rowCount)
        }
        job = Job(path: path, picture: picture, run: run, bands: bands)
        runner.run(self, bands: bands)
        job?.isDecoding = true
        runner.run(self, bands: bands)
        job = nil
    }

    public override func perform(band: Int) {
        guard let job, band >= 0, band < job.bands else { return }
        let memory = workspaces[band]
        if job.isDecoding { decode(job, band, &memory.workspace) } else { encode(job, band, &memory.workspace) }
    }

    private func encode(_ job: Job, _ band: Int, _ workspace: inout Workspace) {
        let camera = Camera(job.picture)
        for block in job.blocks(band) {
            workspace.encode(
                block: block, of: rows(of: block, job.run), job.path, camera: camera, into: field, probe: probe)
        }
    }

    private func decode(_ job: Job, _ band: Int, _ workspace: inout Workspace) {
        let blocks = job.blocks(band)
        guard let firstBlock = blocks.first else { return }
        let screen = Screen(job.picture)
        workspace.beginBand()
        // Where a row looks up to the row above it, the block above the band is played once more.
        let looksUp = job.path.blendsVertically || job.run.fillsOtherRows
        let begin = looksUp ? max(0, firstBlock - 1) : firstBlock
        for block in begin..<blocks.upperBound {
            workspace.decode(block: block, job.path, from: field, lostRows: lostRows.span, probe: probe)
            let isShown = block >= firstBlock
            if job.run.fillsOtherRows {
                let between = isShown ? rowsBetween(of: block, job.run) : PictureRows()
                workspace.showBetween(in: between, on: screen, isFirstBlock: block == 0)
            }
            guard isShown else { continue }
            workspace.show(
                in: rows(of: block, job.run), on: screen, probe: probe, firstRow: block * rowsPerBlock)
            if block == job.blockCount - 1 {
                workspace.show(in: rowBelow(job), on: screen, probe: nil, firstRow: 0)
            }
        }
    }

    // MARK: Where the rows of a block lie in the picture

    private func rows(of block: Int, _ run: FieldRun) -> PictureRows {
        var rows = PictureRows()
        for lane in 0..<rowsPerBlock {
            let row = block * rowsPerBlock + lane
            if row < run.rowCount { rows[lane] = run.firstRow + row * run.rowStep }
        }
        return rows
    }

    /// The rows between those of the field, each above its own.
    private func rowsBetween(of block: Int, _ run: FieldRun) -> PictureRows {
        var rows = PictureRows()
        for lane in 0..<rowsPerBlock {
            let row = block * rowsPerBlock + lane
            let between = run.firstRow + (row * run.rowStep) - 1
            if row < run.rowCount, between >= 0 { rows[lane] = between }
        }
        return rows
    }

    /// The row of the picture below the field's last, which repeats it.
    private func rowBelow(_ job: Job) -> PictureRows {
        var rows = PictureRows()
        let run = job.run
        let below = run.firstRow + (run.rowCount - 1) * run.rowStep + 1
        if run.fillsOtherRows, below < job.picture.layout.height { rows[(run.rowCount - 1) % rowsPerBlock] = below }
        return rows
    }
}
