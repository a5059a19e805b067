import AnalogVideoModel
import GStreamer

extension VideoFrame {
    /// Position of the rows of the frame, or of a separately stored field, in the planes of the buffer.
    func layout(ofField field: Int?, _ format: PixelFormat, _ colour: ColourCoding) -> PictureLayout {
        PictureLayout(
            format: format, width: width, height: field.map { fieldHeight($0) } ?? height,
            planes: InlineArray {
                PlaneLayout(
                    firstRow: firstRowOffset(ofPlane: $0, field: field), stride: stride(ofPlane: $0, field: field))
            }, colour: colour)
    }

    /// Scan of the frame, or of a separately stored field, according to caps and buffer flags.
    func scan(ofField field: Int?) -> Scan {
        if let field { return .separateField(isSecond: (field == 0) != isTopFieldFirst, isTop: field == 0) }
        guard isInterlaced else { return .progressive }
        if format.interlaceMode == .alternate {
            return .separateField(isSecond: false, isTop: isTopFieldFirst)
        }
        return isOneField ? .oneField(isTop: isTopFieldFirst) : .interlaced(topFieldFirst: isTopFieldFirst)
    }
}
