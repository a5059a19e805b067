/// Simplex noise in two dimensions; it is scalar, because only the edge wave uses it, once for each row.
///
/// K. Perlin's simplex noise, with the gradients and the hash of docs/NTSC.md, "Simplex noise".
func simplexNoise(_ x: Float, _ y: Float, seed: Int32) -> Float {
    let skew = Float(bitPattern: 0x3EBB_67AE)
    let unskew = Float(bitPattern: 0x3E58_658C)
    let s = (x + y) * skew
    let columnFloor = (x + s).rounded(.down)
    let rowFloor = (y + s).rounded(.down)
    let column = wholeNumber(columnFloor)
    let row = wholeNumber(rowFloor)
    let t = Float(column &+ row) * unskew

    let x0 = x - (columnFloor - t)
    let y0 = y - (rowFloor - t)
    let right: Float = x0 >= y0 ? 1 : 0
    let down: Float = y0 > x0 ? 1 : 0
    let x1 = (x0 - right) + unskew
    let y1 = (y0 - down) + unskew
    let x2 = (x0 - 1) + 2 * unskew
    let y2 = (y0 - 1) + 2 * unskew

    let n0 = corner(column, row, seed, x0, y0)
    let n1 = corner(column &+ Int32(right), row &+ Int32(down), seed, x1, y1)
    let n2 = corner(column &+ 1, row &+ 1, seed, x2, y2)
    return (n0 + n1) + n2
}

private func corner(_ column: Int32, _ row: Int32, _ seed: Int32, _ x: Float, _ y: Float) -> Float {
    let hash = pcg3D(UInt32(bitPattern: column), UInt32(bitPattern: row), UInt32(bitPattern: seed)) & 7
    let low: Float = hash & 1 != 0 ? -1 : 1
    let high: Float = hash & 2 != 0 ? -2 : 2
    let (gx, gy) = hash < 4 ? (low, high) : (high, low)
    var weight = max(0, Float(0.5).addingProduct(x, -x).addingProduct(y, -y))
    weight *= weight
    weight *= weight
    return weight * (gx * x + gy * y)
}

/// First component of the three-dimensional PCG hash.
///
/// PCG3D of M. Jarzynski and M. Olano, "Hash Functions for GPU Rendering" (2020).
func pcg3D(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32 {
    var x = (a &* 1_664_525) &+ 1_013_904_223
    var y = (b &* 1_664_525) &+ 1_013_904_223
    var z = (c &* 1_664_525) &+ 1_013_904_223
    x = x &+ (y &* z)
    y = y &+ (z &* x)
    z = z &+ (x &* y)
    x ^= x >> 16
    y ^= y >> 16
    z ^= z >> 16
    return x &+ (y &* z)
}

/// Converts a whole number to an integer, clamped to the range of `Int32`; NaN gives 0.
func wholeNumber(_ x: Float) -> Int32 {
    x.isNaN ? 0 : Int32(min(max(x, -2_147_483_648), 2_147_483_520))
}
