import MachineState
import Testing

@testable import ThermalPolicy

@Suite struct QualityLadderTests {
    private let hd = VideoCaps(width: 1920, height: 1080, rate: FrameRate(30, 1))

    private func steps(_ picture: VideoCaps, _ change: (inout LadderRules) -> Void = { _ in }) -> [String] {
        var rules = LadderRules()
        change(&rules)
        return QualityLadder(for: picture, rules).rungs.map {
            $0.entry.name + ": "
                + QualityLadder.action(
                    $0.limits.fit(picture), of: picture, bitrateShare: rules.hasEncoder ? $0.limits.bitrateShare : 1)
        }
    }

    @Test func reducesRateAndSizeInTurnWhenBalanced() {
        #expect(
            steps(hd) == [
                "nominal: none", "serious: 20/1 fps, bitrate 70%", "critical: 1280x720, 20/1 fps, bitrate 70%",
                "critical: 854x480, 20/1 fps, bitrate 70%", "critical: 854x480, 13/1 fps, bitrate 70%",
                "critical: 568x320, 13/1 fps, bitrate 70%", "critical: 568x320, 10/1 fps, bitrate 70%",
                "critical: 426x240, 10/1 fps, bitrate 70%",
            ])
    }

    @Test func keepsTheQuantityOfThePolicysName() {
        let rate = steps(hd) { $0.policy = .maintainFramerate }
        #expect(rate[1] == "serious: bitrate 70%" && rate[2] == "critical: 1280x720, bitrate 70%")
        #expect(rate.allSatisfy { !$0.contains("fps") })
        let size = steps(hd) { $0.policy = .maintainResolution }
        #expect(size[2] == "critical: 25/1 fps, bitrate 70%" && size.last == "critical: 10/1 fps, bitrate 70%")
        #expect(size.allSatisfy { !$0.contains("x") })
        let bitrate = steps(hd) { $0.policy = .bitrateFirst }
        #expect(Array(bitrate[1...3]) == ["serious: bitrate 70%", "serious: bitrate 49%", "critical: bitrate 34%"])
        #expect(bitrate[4] == "critical: 1280x720, 25/1 fps, bitrate 34%")
    }

    @Test func omitsStepsWithoutEffect() {
        let ladder = steps(VideoCaps(width: 640, height: 360, rate: FrameRate(15, 1))) { $0.hasEncoder = false }
        #expect(ladder == ["nominal: none", "serious: 10/1 fps", "critical: 426x240, 10/1 fps"])
        let tiny = steps(VideoCaps(width: 64, height: 48, rate: FrameRate(5, 1))) { $0.hasEncoder = false }
        #expect(tiny == ["nominal: none"])
    }

    /// Some encoders require that 1 s or 1.001 s contains a whole number of frames.
    @Test(arguments: [
        ((30, 1), (20, 1)), ((25, 1), (16, 1)), ((30000, 1001), (20000, 1001)), ((15, 2), (5, 1)), ((1, 1), (1, 1)),
        ((1, 10), (1, 10)), ((2_147_483_647, 1), (1_431_655_764, 1)), ((20000, 1001), (13000, 1001)),
    ])
    func keepsWholeRates(from: (Int, Int), to: (Int, Int)) {
        #expect(FrameRate(from.0, from.1)?.times(2, 3) == FrameRate(to.0, to.1))
    }

    @Test func reducesTheRateWhenTheSizeMustStay() {
        for policy in LadderRules.Policy.allCases {
            let ladder = steps(hd) {
                $0.mayChangeSize = false
                $0.policy = policy
            }
            #expect(ladder.allSatisfy { !$0.contains("x") })
            #expect(ladder.last?.contains("10/1 fps") == true)
        }
    }

    @Test func scalesTheFirstRungWithTheTier() {
        let slow = QualityLadder(
            for: hd,
            {
                var rules = LadderRules()
                rules.tier = .low
                return rules
            }())
        #expect(slow.rungs[0].limits.rate == FrameRate(15, 1))
        #expect(steps(hd) { $0.tier = .medium }[0] == "nominal: 22/1 fps")
    }

    /// The ladder changes when an encoder is found, or when its bitrate cannot be lowered.
    @Test(arguments: LadderRules.Policy.allCases)
    func entersANewLadderAtARungWithoutFurtherReduction(policy: LadderRules.Policy) {
        var rules = LadderRules()
        rules.policy = policy
        let with = QualityLadder(for: hd, rules)
        rules.hasEncoder = false
        let without = QualityLadder(for: hd, rules)
        for (one, other) in [(with, without), (without, with)] {
            for index in one.rungs.indices {
                let (before, after) = (one.rungs[index], other.rungs[other.rung(like: index, of: one, for: hd)])
                #expect(after.entry <= before.entry)
                #expect(after.limits.fit(hd).height >= before.limits.fit(hd).height)
            }
            #expect(other.rung(like: 0, of: one, for: hd) == 0)
            #expect(one.rungs.indices.allSatisfy { one.rung(like: $0, of: one, for: hd) == $0 })
        }
        // A rung that lowers only the bitrate is mapped to full quality; a rung that lowers the caps keeps its caps.
        #expect(policy != .bitrateFirst || without.rung(like: 2, of: with, for: hd) == 0)
        if policy == .maintainFramerate {
            #expect(without.rungs[without.rung(like: 3, of: with, for: hd)].limits.fit(hd).height == 480)
        }
    }

    @Test func usesTheLevelsOfAUsersLadder() {
        let ladder = QualityLadder(
            for: hd,
            {
                var rules = LadderRules()
                rules.custom = [
                    QualityLimits(), QualityLimits(rate: FrameRate(15, 1)),
                    QualityLimits(shortSide: 360, bitrateShare: 0.5),
                ]
                return rules
            }())
        #expect(ladder.rungs.map(\.entry) == [.nominal, .serious, .critical])
        #expect(ladder.rungs[2].limits.fit(hd).width == 640)
    }

    @Test(arguments: [
        (1920, 1080, 1280, 720), (1080, 1920, 720, 1280), (1440, 1080, 960, 720), (2560, 1080, 1280, 540),
        (1280, 720, 1280, 720), (721, 577, 721, 577), (4096, 2160, 1280, 676), (3, 4000, 2, 1280),
    ])
    func fitsCapsWithTheirAspectRatio(width: Int, height: Int, toWidth: Int, toHeight: Int) {
        let fitted = QualityLimits(longSide: 1280, shortSide: 720)
            .fit(VideoCaps(width: width, height: height, rate: nil))
        #expect(fitted.width == toWidth && fitted.height == toHeight)
    }

    /// Caps of the user limit columns and rows in any orientation.
    @Test(
        arguments: [
            ([1920, 1080], 640, nil, [640, 360]), ([1080, 1920], 640, nil, [640, 1138]),
            ([1920, 1080], nil, 480, [854, 480]), ([1080, 1920], nil, 480, [270, 480]),
            ([1920, 1080], 640, 360, [640, 360]), ([1080, 1920], 640, 360, [202, 360]),
            ([1920, 1080], 641, nil, [640, 360]), ([320, 240], 1000, 1000, [320, 240]),
            ([640, 480], nil, 16, [22, 16]),
        ] as [([Int], Int?, Int?, [Int])])
    func limitsWidthAndHeightWhateverTheOrientation(of: [Int], width: Int?, height: Int?, to: [Int]) {
        let limits = QualityLimits(width: width, height: height)
        let fitted = limits.fit(VideoCaps(width: of[0], height: of[1], rate: nil))
        #expect([fitted.width, fitted.height] == to)
        #expect(limits.within(QualityLimits(width: 16)).width == 16 && limits.withoutSizeLimits == QualityLimits())
    }

    @Test func limitsInterlacedRows() {
        for rows in 100..<720 {
            let fitted = QualityLimits(height: rows)
                .fit(VideoCaps(width: 1920, height: 1080, rate: nil, isInterlaced: true))
            #expect(fitted.height <= rows && fitted.height > rows - 4 && fitted.height.isMultiple(of: 4))
        }
    }

    @Test func raisesAUsersLadderToTheMinimum() {
        var rules = LadderRules()
        rules.custom = [
            QualityLimits(height: 480), QualityLimits(height: 100, rate: FrameRate(5, 1)),
            QualityLimits(width: 16, bitrateShare: 0.5), QualityLimits(rate: FrameRate(10, 1)),
        ]
        let ladder = QualityLadder(for: hd, rules)
        #expect(ladder.raised == [.serious, .critical])
        let steps = ladder.rungs.map {
            QualityLadder.action($0.limits.fit(hd), of: hd, bitrateShare: $0.limits.bitrateShare)
        }
        #expect(
            steps == [
                "none", "854x480", "426x240, 10/1 fps", "426x240, bitrate 50%", "10/1 fps",
            ])
        // If the size must not change, no size is too small, so only the rate of `serious` is raised.
        rules.mayChangeSize = false
        #expect(QualityLadder(for: hd, rules).raised == [.serious])
        // Caps that are already below the minimum do not change.
        let small = VideoCaps(width: 12, height: 10, rate: FrameRate(5, 1))
        #expect(QualityLadder(for: small, rules).rungs.allSatisfy { $0.limits.fit(small) == small })
    }

    @Test func keepsTheMinimumRateInEveryPolicy() {
        for policy in LadderRules.Policy.allCases {
            let ladder = steps(VideoCaps(width: 320, height: 240, rate: FrameRate(60, 1))) {
                $0.policy = policy
                $0.minimumRate = FrameRate(50, 1)
                $0.mayChangeSize = false
            }
            #expect(ladder.last?.contains(": 50/1 fps") == true)
        }
    }

    @Test(arguments: [(4000, 300), (300, 4000), (1920, 1080), (1000, 241)], [240, 241, 16])
    func keepsTheMinimumHeightInEveryPolicy(size: (Int, Int), least: Int) {
        for (index, policy) in (LadderRules.Policy.allCases + LadderRules.Policy.allCases).enumerated() {
            let picture = VideoCaps(width: size.0, height: size.1, rate: FrameRate(30, 1), isInterlaced: index > 3)
            var rules = LadderRules()
            rules.policy = policy
            rules.minimumHeight = least
            for rung in QualityLadder(for: picture, rules).rungs {
                let fitted = rung.limits.fit(picture)
                #expect(min(fitted.width, fitted.height) >= min(least, size.0, size.1))
            }
        }
    }

    @Test func keepsInterlacedRowsAMultipleOfFour() {
        for side in 100..<720 {
            let limits = QualityLimits(shortSide: side)
            let fields = limits.fit(VideoCaps(width: 1920, height: 1080, rate: nil, isInterlaced: true))
            #expect(fields.height % 4 == 0 && fields.width % 2 == 0 && fields.height > 0)
        }
    }

    /// Tests random sizes and rates, and the largest sizes and rates that caps can express.
    @Test func descendsAndEndsForAllCaps() {
        var generator = SmallGenerator(seed: 7)
        func side() -> Int { Int(generator.number(in: 1...16).rounded()) * Int(generator.number(in: 1...2000)) }
        for round in 0..<2000 {
            let rate = FrameRate(Int(generator.number(in: 1...240_000)), Int(generator.number(in: 1...1001)))
            let picture = VideoCaps(
                width: side(), height: side(), rate: round % 5 == 0 ? nil : rate, isInterlaced: round % 3 == 0)
            var rules = LadderRules()
            rules.policy = LadderRules.Policy.allCases[round % 4]
            rules.tier = DeviceTier.allCases[round % 3]
            rules.minimumRate = FrameRate(Int(generator.number(in: 1...60)), 1)
            rules.minimumHeight = Int(generator.number(in: 16...2000))
            rules.hasEncoder = round % 2 == 0
            let rungs = QualityLadder(for: picture, rules).rungs
            #expect(rungs.count < 64)
            for (one, next) in zip(rungs, rungs.dropFirst()) {
                let (before, after) = (one.limits.fit(picture), next.limits.fit(picture))
                #expect(one.entry <= next.entry)
                #expect(after.width <= before.width && after.height <= before.height)
                #expect(next.limits.bitrateShare <= one.limits.bitrateShare)
                if let fast = before.rate, let slow = after.rate { #expect(slow <= fast) }
            }
        }
        let monster = VideoCaps(width: .init(Int32.max), height: .init(Int32.max), rate: FrameRate(Int(Int32.max), 1))
        #expect(QualityLadder(for: monster, LadderRules()).rungs.count > 3)
    }
}
