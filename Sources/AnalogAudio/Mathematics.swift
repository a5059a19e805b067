#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

// The functions of the C library under their names; the files that use them need no import for each platform.

func sine(_ x: Double) -> Double { sin(x) }
func cosine(_ x: Double) -> Double { cos(x) }
func tangent(_ x: Double) -> Double { tan(x) }
func exponential(_ x: Double) -> Double { exp(x) }
func logarithm(_ x: Double) -> Double { log(x) }
func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
