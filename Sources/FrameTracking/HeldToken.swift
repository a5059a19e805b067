/// A token that was not released in time, for `Pad.searchHolder`; valid while its ledger exists.
public struct HeldToken: @unchecked Sendable {  // Only its atomic status is read.
    let raw: TokenPointer
    /// Identity of the last sink pad that the frame entered; 0 if frames were not traced.
    let lastPad: UInt

    init(_ raw: TokenPointer) {
        self.raw = raw
        lastPad = raw.pointee.lastPad.load(ordering: .relaxed)
    }

    /// Whether the frame was released after it expired.
    var isReleased: Bool { raw.pointee.status.load(ordering: .relaxed) != .expired }
}
