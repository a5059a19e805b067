/// Decision which build of the signal code plays.
public struct VariantChoice: Sendable, Equatable {
    /// The build that plays.
    public let variant: PlayerVariant
    /// The name that was requested, if there is no such build or the processor does not support it; else nil.
    public let refusedRequest: String?

    /// The build named `request` if it is among the `supported` ones, else the fastest; "" requests none.
    ///
    /// On processors without fast AVX-512, the build for AVX2 is taken to be the fastest; see
    /// `cprocessor_has_fast_avx512`.
    public init(request: String, supported: [PlayerVariant], hasFastAVX512: Bool) {
        if let variant = supported.first(where: { $0.rawValue == request }) {
            self.variant = variant
            refusedRequest = nil
        } else {
            variant = supported.last { $0 != .avx512 || hasFastAVX512 } ?? .baseline
            refusedRequest = request.isEmpty ? nil : request
        }
    }
}
