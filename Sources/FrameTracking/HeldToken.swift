/// A token that was not released in time, to look for who holds it; valid while its ledger lives.
public struct HeldToken: @unchecked Sendable {  // It is compared, never followed.
    let raw: TokenPointer
    /// The last sink pad that the frame entered, or 0.
    let lastPad: UInt

    init(_ raw: TokenPointer) {
        self.raw = raw
        lastPad = raw.pointee.lastPad.load(ordering: .relaxed)
    }
}
