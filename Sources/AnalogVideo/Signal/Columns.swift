/// Neighbouring columns that a loop loads, and stores, at the same time.
///
/// An instruction of Arm loads or stores two vectors, if the compiler knows that no access between them concerns the
/// same memory. A loop there takes four columns at a time, so it also has fewer instructions of its own. x86-64 has no
/// such instruction, and half as many registers; a loop there takes one column at a time.
struct Columns {
    #if arch(arm64)
        private var first, second, third, fourth: Lanes

        @inline(__always)
        static var count: Int { 4 }

        @inline(__always)
        @unsafe init(_ start: UnsafePointer<Lanes>) {
            unsafe (first, second, third, fourth) = (start[0], start[1], start[2], start[3])
        }

        @inline(__always)
        @unsafe func store(to start: UnsafeMutablePointer<Lanes>) {
            unsafe (start[0], start[1], start[2], start[3]) = (first, second, third, fourth)
        }

        /// Calls `body` with the numbers of the columns.
        @inline(__always)
        static func forEach(_ body: (Int) -> Void) {
            body(0)
            body(1)
            body(2)
            body(3)
        }

        /// Calls `body` with the number of the first column of each group in a period of the carrier.
        @inline(__always)
        static func forEachInPeriod(_ body: (Int) -> Void) { body(0) }

        /// Column `number`; the compiler must know the number.
        @inline(__always)
        subscript(number: Int) -> Lanes {
            get { number == 0 ? first : number == 1 ? second : number == 2 ? third : fourth }
            set {
                switch number {
                case 0: first = newValue
                case 1: second = newValue
                case 2: third = newValue
                default: fourth = newValue
                }
            }
        }
    #else
        private var only: Lanes

        @inline(__always)
        static var count: Int { 1 }

        @inline(__always)
        @unsafe init(_ start: UnsafePointer<Lanes>) { only = unsafe start[0] }

        @inline(__always)
        @unsafe func store(to start: UnsafeMutablePointer<Lanes>) { unsafe start[0] = only }

        @inline(__always)
        static func forEach(_ body: (Int) -> Void) { body(0) }

        @inline(__always)
        static func forEachInPeriod(_ body: (Int) -> Void) {
            body(0)
            body(1)
            body(2)
            body(3)
        }

        @inline(__always)
        subscript(_: Int) -> Lanes {
            get { only }
            set { only = newValue }
        }
    #endif

    /// Replaces `count` columns from `start` on by the results of `body`, which receives a column and its number.
    @inline(__always)
    @unsafe static func replace(
        _ start: UnsafeMutablePointer<Lanes>, _ count: Int, _ body: (Lanes, Int) -> Lanes
    ) {
        let whole = whole(count)
        var x = 0
        while x < whole {
            var group = unsafe Columns(start + x)
            forEach { group[$0] = body(group[$0], x &+ $0) }
            unsafe group.store(to: start + x)
            x &+= self.count
        }
        while x < count {
            unsafe start[x] = body(start[x], x)
            x &+= 1
        }
    }

    /// The largest number of columns, at most `columnCount`, that whole groups have.
    @inline(__always)
    static func whole(_ columnCount: Int) -> Int { columnCount & ~(count &- 1) }
}
