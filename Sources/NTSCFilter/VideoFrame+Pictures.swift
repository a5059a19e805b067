import AnalogVideoModel
import GStreamer

/// A picture in a buffer: the whole frame, or one of two separately stored fields.
enum BufferedPicture {
    case frame
    /// The upper field (0) or the lower field (1).
    case field(Int)
}

extension VideoFrame {
    var pictureCount: Int { hasSeparateFields ? 2 : 1 }

    func picture(_ index: Int) -> BufferedPicture { hasSeparateFields ? .field(index) : .frame }

    /// Bytes of a plane of a picture; empty if the format does not have the plane.
    @_lifetime(borrow self)
    func plane(_ plane: Int, of picture: BufferedPicture) -> MutableSpan<UInt8> {
        // Both spans already depend on `self`, but Swift 6.3 does not infer that for a span from another function.
        switch picture {
        case .frame: return unsafe _overrideLifetime(self.plane(plane), borrowing: self)
        case .field(let field): return unsafe _overrideLifetime(self.field(field, plane: plane), borrowing: self)
        }
    }

    /// Position of the rows of a picture in the planes of the buffer.
    func layout(of picture: BufferedPicture, _ format: PixelFormat, _ colour: ColourCoding) -> PictureLayout {
        switch picture {
        case .frame:
            PictureLayout(
                format: format, width: width, height: height,
                planes: InlineArray {
                    PlaneLayout(firstRow: firstRowOffset(ofPlane: $0), stride: stride(ofPlane: $0))
                }, colour: colour)
        case .field(let field):
            PictureLayout(
                format: format, width: width, height: fieldHeight(field),
                planes: InlineArray {
                    PlaneLayout(
                        firstRow: firstRowOffset(ofField: field, plane: $0), stride: stride(ofField: field, plane: $0))
                }, colour: colour)
        }
    }

    /// Scan of the picture, according to caps and buffer flags.
    func scan(of picture: BufferedPicture) -> Scan {
        if case .field(let field) = picture {
            return .separateField(isSecond: (field == 0) != isTopFieldFirst, isTop: field == 0)
        }
        guard isInterlaced else { return .progressive }
        if format.interlaceMode == .alternate {
            return .separateField(isSecond: false, isTop: isTopFieldFirst)
        }
        return isOneField ? .oneField(isTop: isTopFieldFirst) : .interlaced(topFieldFirst: isTopFieldFirst)
    }
}
