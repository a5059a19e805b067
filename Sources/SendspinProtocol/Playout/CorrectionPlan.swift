/// Change of one buffer of audio that the corrector requests.
public struct CorrectionPlan: Sendable, Equatable {
    /// Kind of a correction.
    public enum Kind: Sendable, Equatable {
        /// The buffer passes unchanged.
        case none
        /// Single frames are inserted or dropped, inaudibly.
        case single
        /// Silence is inserted, or frames are cut out, with short fades.
        case snap
    }

    /// How the number of frames changes.
    public var kind: Kind
    /// Number of frames of the buffer.
    public var frames: Int
    /// Number of inserted frames; negative: of dropped frames.
    public var change: Int
    /// Distance of single corrections in frames.
    public var spacing: Int

    /// A plan that changes nothing.
    public static func unchanged(_ frames: Int) -> Self {
        Self(kind: .none, frames: frames, change: 0, spacing: frames)
    }

    /// A plan with all of its fields.
    public init(kind: Kind, frames: Int, change: Int, spacing: Int) {
        self.kind = kind
        self.frames = frames
        self.change = change
        self.spacing = spacing
    }

    /// Number of frames after the correction.
    ///
    /// 0 if a snap drops the whole buffer.
    public var outputFrames: Int { frames + change }
}
