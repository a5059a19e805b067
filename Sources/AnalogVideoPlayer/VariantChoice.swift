/// Choice of the build of the signal code.
public struct VariantChoice: Sendable, Equatable {
    /// The selected build.
    public let variant: PlayerVariant
    /// Requested name that no supported build has; nil if the request is empty or fulfilled.
    public let refusedRequest: String?

    /// Selects the build named `request` if it is in `supported`, otherwise the fastest one; "" names no build.
    ///
    /// Without fast AVX-512, the build for AVX2 counts as the fastest; see `cprocessor_has_fast_avx512`.
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
