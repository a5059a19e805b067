import Durations
import Testing

struct DurationsTests {
    /// In 64 bits, attoseconds reach 9.2 s (signed) or 18.4 s (unsigned); longer durations require 128-bit division.
    @Test(arguments: [
        0, 1, 999_999_999, 9_223_372_036, 9_223_372_037, 18_446_744_073, 18_446_744_074, 86_400_000_000_000,
        UInt64(Int64.max),
    ])
    func wholeNanosecondsReturnUnchanged(nanoseconds: UInt64) {
        let duration = Duration(nanoseconds: nanoseconds)
        #expect(duration == .nanoseconds(nanoseconds))
        #expect(UInt64(nanosecondsOf: duration) == nanoseconds)
        #expect(Int64(nanosecondsOf: duration) == Int64(nanoseconds))
        let negative = Duration(nanoseconds: -Int64(nanoseconds))
        #expect(Int64(nanosecondsOf: negative) == -Int64(nanoseconds))
        #expect(UInt64(nanosecondsOf: negative) == 0)
    }

    @Test func fractionsOfANanosecondAreTruncated() {
        let almostTwo = Duration(attoseconds: 1_999_999_999)
        #expect(UInt64(nanosecondsOf: almostTwo) == 1 && Int64(nanosecondsOf: almostTwo) == 1)
        #expect(Int64(nanosecondsOf: .zero - almostTwo) == -1)
        let long = Duration(nanoseconds: Int64.max) + almostTwo
        #expect(UInt64(nanosecondsOf: long) == UInt64(Int64.max) + 1)
    }

    @Test func durationsOutOfRangeAreClamped() {
        for long in [Duration.seconds(Int64.max), Duration(attoseconds: .max)] {
            #expect(UInt64(nanosecondsOf: long) == .max && Int64(nanosecondsOf: long) == .max)
        }
        for negative in [Duration.seconds(Int64.min), Duration(attoseconds: .min)] {
            #expect(UInt64(nanosecondsOf: negative) == 0 && Int64(nanosecondsOf: negative) == .min)
        }
        #expect(UInt64(nanosecondsOf: Duration(nanoseconds: UInt64.max)) == .max)
        #expect(UInt64(nanosecondsOf: Duration(nanoseconds: UInt64.max) + .nanoseconds(1)) == .max)
        #expect(Int64(nanosecondsOf: Duration(nanoseconds: Int64.max) + .nanoseconds(1)) == .max)
        #expect(Int64(nanosecondsOf: Duration(nanoseconds: Int64.min) - .nanoseconds(1)) == .min)
    }

    @Test(
        arguments: [
            (0.0, 0), (1.5, 1_500_000_000), (-0.04, -40_000_000), (1e-9, 1), (0.4e-9, 0), (1e10, .max), (-1e10, .min),
            (.infinity, .max), (-.infinity, .min), (1e300, .max), (.nan, 0), (.signalingNaN, 0),
            (9_223_372_036.854_775_807, .max),
        ] as [(Double, Int64)])
    func secondsOfAnyValueAreADuration(seconds: Double, nanoseconds: Int64) {
        #expect(Duration(seconds: seconds) == .nanoseconds(nanoseconds))
    }

    @Test func secondsAreTheNearestDouble() {
        for milliseconds in 0..<10_000 {
            #expect(Duration.milliseconds(milliseconds).inSeconds == Double(milliseconds) / 1000)
        }
        #expect(Duration.seconds(Int64.max).inSeconds == Double(Int64.max))
        #expect(Duration.seconds(Int64.min).inSeconds == Double(Int64.min))
    }

    @Test func operatorsEqualThoseOfTheStandardLibrary() {
        let times: [Duration] = [
            .zero, .nanoseconds(-1), .milliseconds(40), .seconds(-3600), .nanoseconds(UInt64.max), .seconds(1 << 40),
        ]
        for a in times {
            for b in times {
                #expect((a + b).attoseconds == sum(a, b).attoseconds)
                #expect(sum(a - b, b) == a)
                #expect((a < b) == (a.attoseconds < b.attoseconds) && (a >= b) == !(a < b))
                #expect((a > b) == (b < a) && (a <= b) == !(b < a) && (a == b) == !(a != b))
                #expect(min(a, b).attoseconds == min(a.attoseconds, b.attoseconds))
                #expect(max(a, b).attoseconds == max(a.attoseconds, b.attoseconds))
            }
            #expect((a * 3).attoseconds == a.attoseconds * 3 && (a / 7).attoseconds == a.attoseconds / 7)
        }
    }

    /// Uses the `+` of the standard library, because the operators of `Durations` are not generic.
    private func sum<D: DurationProtocol>(_ a: D, _ b: D) -> D { a + b }
}
