/// Correction of one buffer of audio.
public struct CorrectionPlan: Sendable, Equatable {
    /// Kind of a correction.
    public enum Kind: Sendable, Equatable {
        /// The buffer passes unchanged.
        case none
        /// Single frames are inserted or dropped inaudibly.
        case single
        /// Silence is inserted, or frames are cut, with short fades.
        case snap
    }

    /// Kind of the correction.
    public var kind: Kind
    /// Number of input frames.
    public var frames: Int
    /// Number of inserted frames; negative for dropped frames.
    public var change: Int
    /// Distance between single corrections in frames.
    public var spacing: Int

    /// A plan that changes nothing.
    public static func unchanged(_ frames: Int) -> Self {
        Self(kind: .none, frames: frames, change: 0, spacing: frames)
    }

    /// Number of output frames; 0 if a snap drops the whole buffer.
    public var outputFrames: Int { frames + change }
}
