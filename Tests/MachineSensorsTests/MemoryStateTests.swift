import MachineState
import Testing

@Suite struct MemoryStateTests {
    @Test(arguments: [
        (
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=90.00 avg60=0 avg300=0 total=1",
            MemoryState.enough
        ),
        ("some avg10=10.01 avg60=0.00 avg300=0.00 total=0\n", .short), ("", .unknown), ("some", .unknown),
        ("some avg10= avg60=1", .unknown), ("some avg10=nan", .unknown), ("some avg10=-1", .unknown),
        ("full avg10=99.00", .unknown), ("some avg10=inf", .unknown), ("some avg10=100.01", .unknown),
        ("some avg10=0x1p3", .unknown), ("some avg10=1e1", .unknown), ("some avg10=+50", .unknown),
        ("some avg10=\u{661}\u{662}", .unknown), ("some avg10=.", .unknown), ("some avg10=100.00", .short),
    ])
    func parsesPressure(text: String, state: MemoryState) { #expect(MemoryState.fromPressure(text) == state) }

    @Test(arguments: [
        ("960\n", "1000\n", "", MemoryState.short), ("960\n", "1000\n", "anon 1\ninactive_file 300\n", .enough),
        ("960", "max\n", "", .unknown), ("960", "9223372036854771712", "", .unknown), ("", "1000", "", .unknown),
        ("100", "1000", "inactive_file 5000", .enough),
        ("960", "1000", "inactive_file 0\ntotal_inactive_file 500", .enough),
        ("960", "0", "", .unknown),
    ])
    func comparesUseOfAGroupWithItsLimit(current: String, limit: String, statistics: String, state: MemoryState) {
        #expect(MemoryState.fromUse(current: current, limit: limit, statistics: statistics) == state)
    }

    @Test func shortTakesPrecedenceOverEnoughAndUnknown() {
        #expect(MemoryState.unknown.and(.enough) == .enough)
        #expect(MemoryState.short.and(.enough) == .short)
        #expect(MemoryState.unknown.and(.unknown) == .unknown)
    }
}
