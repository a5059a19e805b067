/// A token that was not released in time, for `Pad.searchHolder`; valid while its ledger exists.
public struct HeldToken: @unchecked Sendable {  // The pointer is compared, never dereferenced.
    let raw: TokenPointer
    /// Identity of the last sink pad that the frame entered; 0 if frames were not traced.
    let lastPad: UInt

    init(_ raw: TokenPointer) {
        self.raw = raw
        lastPad = raw.pointee.lastPad.load(ordering: .relaxed)
    }
}
