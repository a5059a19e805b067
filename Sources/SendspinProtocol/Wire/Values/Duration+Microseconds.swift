/// Times of the protocol: signed 64-bit microseconds of the server's or the client's clock.
extension Duration {
    /// Converts microseconds; any value is permitted.
    public init(wireMicroseconds: Int64) { self.init(attoseconds: Int128(wireMicroseconds) * 1_000_000_000_000) }

    /// The time in microseconds, rounded down and clamped to 64 bits.
    public var wireMicroseconds: Int64 {
        let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
        return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
    }
}
