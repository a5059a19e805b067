import Testing
import ThermalPolicy

@Suite struct CapsRangeTests {
    private let full = VideoCaps(width: 1920, height: 1080, rate: FrameRate(30, 1))

    private func rate(_ number: Int) -> ClosedRange<FrameRate> {
        let rate = FrameRate(number, 1) ?? .lowest
        return rate...rate
    }

    private func offer(_ width: Int, _ height: Int, _ rates: Int...) -> CapsRange {
        CapsRange(widths: [.init(width...width)], heights: [.init(height...height)], rates: rates.map(rate))
    }

    private func ask(_ offers: [CapsRange], _ width: Int, _ height: Int, _ rate: Int) -> String? {
        let target = VideoCaps(width: width, height: height, rate: FrameRate(rate, 1))
        return CapsRange.cheapest(offers, target: target, full: full).map {
            "\($0.width)x\($0.height)@\($0.rate.map { "\($0.numerator)/\($0.denominator)" } ?? "any")"
        }
    }

    @Test func requestsTheLeastSufficientCapsOfACamera() {
        let camera = [offer(1920, 1080, 30, 15, 5), offer(1280, 720, 30, 15, 5), offer(640, 360, 30, 5)]
        #expect(ask(camera, 1920, 1080, 30) == nil)
        #expect(ask(camera, 1920, 1080, 20) == nil)
        #expect(ask(camera, 1920, 1080, 13) == "1920x1080@15/1")
        #expect(ask(camera, 1280, 720, 20) == "1280x720@30/1")
        #expect(ask(camera, 854, 480, 13) == "1280x720@15/1")
        #expect(ask(camera, 568, 320, 10) == "640x360@30/1")
        #expect(ask(camera, 426, 240, 5) == "640x360@5/1")
    }

    @Test func requestsTheExactCapsOfAFlexibleSource() {
        let all = CapsRange(
            widths: [.init(1...Int(Int32.max))], heights: [.init(1...Int(Int32.max))],
            rates: [.lowest...(FrameRate(1000, 1) ?? .lowest)])
        #expect(ask([all], 854, 480, 13) == "854x480@13/1")
        #expect(ask([all], 1920, 1080, 30) == nil)
        let silent = CapsRange(widths: [.init(1...4000)], heights: [.init(1...4000)], rates: [])
        #expect(ask([silent], 854, 480, 13) == "854x480@30/1")
    }

    @Test func keepsTheAspectRatio() {
        #expect(ask([offer(1280, 960, 30), offer(1024, 768, 30), offer(864, 480, 30)], 854, 480, 30) == nil)
        #expect(ask([offer(848, 480, 30), offer(856, 480, 30)], 854, 480, 30) == "856x480@30/1")
        // A width and a height from lists are combined if they have the aspect ratio of the stream.
        let lists = CapsRange(
            widths: [640, 960, 1280].map { .init($0...$0) }, heights: [360, 540, 1024].map { .init($0...$0) },
            rates: [rate(30)]
        )
        #expect(ask([lists], 854, 480, 30) == "960x540@30/1")
    }

    @Test func staysBetweenTargetAndFullCaps() {
        #expect(ask([offer(3840, 2160, 15), offer(1280, 720, 60)], 1280, 720, 30) == nil)
        #expect(ask([offer(1280, 720, 10)], 1280, 720, 20) == nil)
        #expect(ask([], 1280, 720, 20) == nil)
    }

    @Test func keepsTheStepOfARange() {
        let stepped = CapsRange(
            widths: [.init(16...1920, step: 16)], heights: [.init(16...1080, step: 8)], rates: [rate(30)])
        // Neither 854 nor 855 is a multiple of the step.
        #expect(ask([stepped], 854, 480, 30) == "864x488@30/1" || ask([stepped], 854, 480, 30) == "864x480@30/1")
        func most(_ width: Int, _ height: Int) -> String? {
            let target = VideoCaps(width: width, height: height, rate: FrameRate(20, 1))
            return CapsRange.nearest([stepped], target: target, full: full).map { "\($0.width)x\($0.height)" }
        }
        #expect(most(1280, 720) == "1280x720")
        #expect(most(854, 480) == "848x480")
        #expect(most(426, 240) == "416x240" || most(426, 240) == "416x232")
        // No smaller size has the aspect ratio, so the next larger size is selected.
        #expect(most(15, 8) == "144x80" || most(15, 8) == "112x64" || most(15, 8) == "128x72")
        let list = [offer(1920, 1080, 30), offer(640, 360, 30), offer(640, 480, 30)]
        let target = VideoCaps(width: 1280, height: 720, rate: FrameRate(20, 1))
        #expect(CapsRange.nearest(list, target: target, full: full)?.height == 360)
    }

    @Test func keepsTheRowsOfFields() {
        let full = VideoCaps(width: 720, height: 576, rate: FrameRate(25, 1), isInterlaced: true)
        let target = VideoCaps(width: 360, height: 288, rate: FrameRate(25, 1), isInterlaced: true)
        #expect(CapsRange.cheapest([offer(368, 294, 25)], target: target, full: full) == nil)
        #expect(CapsRange.cheapest([offer(360, 288, 25)], target: target, full: full)?.height == 288)
    }

    @Test func requestsOnlyTheSizeWithoutARate() {
        let full = VideoCaps(width: 640, height: 480, rate: nil)
        let found = CapsRange.cheapest(
            [offer(320, 240, 30)], target: VideoCaps(width: 320, height: 240, rate: nil), full: full)
        #expect(found == VideoCaps(width: 320, height: 240, rate: nil))
    }

    @Test func acceptsExtremeNumbers() {
        let wild = CapsRange(
            widths: [.init(Int(Int32.min)...Int(Int32.max), step: 0), .init(0...0, step: -3)],
            heights: [.init(-5...0), .init(1...Int(Int32.max), step: Int(Int32.max))],
            rates: [.lowest...(FrameRate(Int(Int32.max), 1) ?? .lowest)])
        for picture in [
            VideoCaps(width: 1, height: Int(Int32.max), rate: .lowest), VideoCaps(width: 0, height: 0, rate: nil),
        ] {
            let least = VideoCaps(width: 1, height: 1, rate: .lowest)
            // No offer with the same aspect ratio has fewer pixels.
            #expect(CapsRange.cheapest([wild], target: least, full: picture) == nil)
            let wide = VideoCaps(width: Int(Int32.max), height: 1, rate: .lowest)
            #expect(CapsRange.cheapest([wild], target: picture, full: wide) == nil)
        }
    }
}
