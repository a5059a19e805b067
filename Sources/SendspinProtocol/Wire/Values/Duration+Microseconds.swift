/// Conversion of the times of the protocol: signed 64-bit microseconds of the clock of the server or of the client.
extension Duration {
    /// Any 64-bit count fits.
    public init(wireMicroseconds: Int64) { self.init(attoseconds: Int128(wireMicroseconds) * 1_000_000_000_000) }

    /// The time in microseconds, rounded toward negative infinity and clamped at 64 bits.
    public var wireMicroseconds: Int64 {
        let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
        return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
    }
}
