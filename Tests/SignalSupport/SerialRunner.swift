import AnalogVideoModel

/// Runs the bands successively on the calling thread.
package struct SerialRunner: BandRunner {
    package init() {}

    package func run(_ work: BandWork, bands: Int) {
        for band in 0..<bands { work.perform(band: band) }
    }
}

extension NTSCPlayer {
    /// Plays a picture that has one plane.
    @discardableResult
    package func play(
        _ pixels: inout MutableSpan<UInt8>, layout: PictureLayout, frame: UInt64, scan: Scan, settings: NTSCSettings,
        bands: Int, runner: any BandRunner
    ) -> Bool {
        var plane1 = MutableSpan<UInt8>()
        var plane2 = MutableSpan<UInt8>()
        return play(
            &pixels, &plane1, &plane2, layout: layout, frame: frame, scan: scan, settings: settings, bands: bands,
            runner: runner)
    }
}

extension PictureLayout {
    /// Creates the layout of a picture that has one plane.
    package init(format: PixelFormat, width: Int, height: Int, firstRow: Int = 0, stride: Int) {
        self.init(
            format: format, width: width, height: height,
            planes: [PlaneLayout(firstRow: firstRow, stride: stride), .none, .none])
    }
}

extension NTSCSettings {
    /// Reads a preset of ntsc-rs (version 1) or of ntscQT.
    package init(presetJSON: String) throws(PresetError) { self = try Preset(json: Array(presetJSON.utf8)).settings }

    /// Reads the content of a preset file of ntsc-rs (version 1) or of ntscQT.
    package init(presetJSON bytes: [UInt8]) throws(PresetError) { self = try Preset(json: bytes).settings }
}
