// These initializers create vectors from a function of the lane. The calls are written out, so that the compiler knows
// each lane and emits shuffles; it would pass the result of a loop through memory.

extension SIMD4 {
    @inline(__always)
    init(_ lane: (Int) -> Scalar) { self.init(lane(0), lane(1), lane(2), lane(3)) }
}

extension SIMD8 {
    @inline(__always)
    init(_ lane: (Int) -> Scalar) {
        self.init(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
    }
}

extension SIMD16 {
    @inline(__always)
    init(_ lane: (Int) -> Scalar) {
        self.init(
            lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7), lane(8), lane(9), lane(10),
            lane(11), lane(12), lane(13), lane(14), lane(15))
    }
}

// `max()` and `min()` of the standard library can become separate functions. The linker keeps one copy for all builds
// of this module, with the instructions of one build.

@inline(__always)
func largest(_ numbers: Block<Int>) -> Int {
    var largest = numbers[0]
    for lane in 1..<rowsPerBlock { largest = max(largest, numbers[lane]) }
    return largest
}

@inline(__always)
func smallest(_ numbers: Block<Int>) -> Int {
    var smallest = numbers[0]
    for lane in 1..<rowsPerBlock { smallest = min(smallest, numbers[lane]) }
    return smallest
}

// A group of four lanes is a vector register of 128 bits. Most shuffles move lanes only within such a group.

extension SIMD4<UInt32> {
    @inline(__always)
    func four(_: Int) -> SIMD4<UInt32> { self }
}

extension SIMD8<UInt32> {
    @inline(__always)
    func four(_ index: Int) -> SIMD4<UInt32> { index == 0 ? lowHalf : highHalf }
}

extension SIMD16<UInt32> {
    @inline(__always)
    func four(_ index: Int) -> SIMD4<UInt32> { index < 2 ? lowHalf.four(index) : highHalf.four(index - 2) }
}
