import CGStreamer

/// A mapped video frame that may be read but not changed, valid only during the call that receives it.
///
/// The corresponding C type is `GstVideoFrame`, mapped with `GST_MAP_READ`.
public struct InputFrame: ~Copyable, ~Escapable {
    private let frame: VideoFrame

    /// Wraps a mapped frame; nil if rows of its buffer overlap or exceed the memory.
    ///
    /// The frame must be mapped as long as `format` is borrowed.
    @_lifetime(borrow format)
    init?(_ raw: UnsafeMutablePointer<GstVideoFrame>, format: borrowing VideoFormat) {
        guard let frame = VideoFrame(raw, format: copy format), frame.hasPlanes else { return nil }
        self.frame = frame
    }

    /// Width of the frame in pixels.
    public var width: Int { frame.width }
    /// Number of rows in this buffer.
    public var height: Int { frame.height }

    /// Distance in bytes from one row of a plane to the next; negative if the rows are stored bottom up.
    public func stride(ofPlane plane: Int = 0) -> Int { frame.stride(ofPlane: plane) }

    /// Offset of the top row in `plane(_:)`; not 0 if the stride is negative.
    public func firstRowOffset(ofPlane plane: Int = 0) -> Int { frame.firstRowOffset(ofPlane: plane) }

    /// The bytes of a plane, from the row at the lowest address to the last pixel of the row at the highest address.
    ///
    /// The padding after the last pixel is excluded. The span is empty if the plane does not exist.
    @_lifetime(borrow self)
    public func plane(_ plane: Int = 0) -> Span<UInt8> {
        _overrideLifetime(frame.bytes(ofPlane: plane), borrowing: self)
    }
}
