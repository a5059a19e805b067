import Durations
import SendspinPlayout
import Testing

/// Tests of the corrector with a simulated device, whose true error is known.
@Suite struct FrameCorrectorTests {
    @Test func printsTable() {
        for (step, paced, jitter, spikes) in [(0.0, false, 0.0, 0.0), (0, false, 50e-6, 0), (0, false, 200e-6, 0.01), (0.001, false, 20e-6, 0), (0.01, true, 20e-6, 0), (0.01, false, 20e-6, 0)] {
            for ppm in [-300.0, -100, -20, 0, 20, 100, 300] {
                for frames in [480, 1200, 4608] {
                    var after3: [Double] = [], max3: [Double] = [], whole: [Double] = [], after10: [Double] = []
                    var turns = 0, snaps = 0, closest = Double.infinity, early = 0
                    for seed in 1...10 {
                        var d = SimulatedDevice()
                        d.drift = ppm; d.step = step; d.isPaced = paced; d.jitter = jitter; d.spikes = spikes; d.bufferFrames = frames
                        d.startError = [-0.1e-3, 0, 0.1e-3][seed % 3]
                        d.seed = UInt64(seed)
                        let r = d.play(seconds: 60)
                        after3.append(r.error(0.99, from: 3)); max3.append(r.error(1, from: 3)); after10.append(r.error(0.99, from: 10))
                        whole.append(r.error(1, from: 0)); turns += r.turns; snaps += r.snaps.count; closest = min(closest, r.closest)
                        early += r.corrections.count { $0.time < 1 }
                    }
                    func us(_ a: [Double]) -> Int { Int((a.max()! * 1e6).rounded()) }
                    print("T step \(step) paced \(paced) jitter \(jitter) ppm \(ppm) frames \(frames): p99@3 \(us(after3)) max@3 \(us(max3)) p99@10 \(us(after10)) max \(us(whole)) turns \(turns) snaps \(snaps) closest \(closest) early \(early)")
                }
            }
        }
    }

    @Test func printsEvents() {
        func show(_ name: String, _ change: (inout SimulatedDevice) -> Void) {
            var line = ""
            for ppm in [-100.0, 100.0] { for frames in [480, 1200, 4608] {
                var a = 0.0, b = 0.0, c = 0.0, e = 0.0
                var snaps: [String] = []
                var turns = 0
                for seed in 1...5 {
                    var d = SimulatedDevice(); d.drift = ppm; d.bufferFrames = frames; d.jitter = 30e-6; d.seed = UInt64(seed)
                    change(&d)
                    let r = d.play(seconds: 40)
                    a = max(a, r.error(1, from: 0.6, to: 1)); b = max(b, r.error(0.99, from: 3, to: 19.7)); c = max(c, r.error(1, from: 20.5, to: 23)); e = max(e, r.error(1, from: 23))
                    turns += r.turns
                    if seed == 1 { snaps = r.snaps.map { "\(Int($0.time * 1000)):\($0.frames):\(Int($0.error * 1e6))" } }
                }
                line += "\n   E ppm \(ppm) frames \(frames): .6-1 \(Int(a * 1e6)) 3-20 \(Int(b * 1e6)) 20.5-23 \(Int(c * 1e6)) 23- \(Int(e * 1e6)) turns \(turns) snaps \(snaps)"
            } }
            print("E \(name)" + line)
        }
        for start in [0.9e-3, 1.5e-3, -2e-3, 30e-3, -30e-3, 300e-3, -0.5] { show("start \(start)") { $0.startError = start } }
        for gap in [0.4e-3, 2e-3, 50e-3, -0.02] { show("underrun \(gap)") { $0.underruns = [20: gap] } }
        for gap in [0.4e-3, 2e-3, 5] { show("pause \(gap)") { $0.pauses = [20: gap] } }
        for gap in [60e-6, -100e-6, 300e-6, -1e-3, 20e-3] { show("clock \(gap)") { $0.clockChanges = [20: gap] } }
        for gap in [60e-6, -100e-6, 20e-3] { show("clock with 10 ms steps paced \(gap)") { $0.clockChanges = [20: gap]; $0.step = 0.01; $0.isPaced = true } }
        for gap in [60e-6, -100e-6, 20e-3] { show("clock with 1 ms steps \(gap)") { $0.clockChanges = [20: gap]; $0.step = 0.001 } }
        for rate in [8000, 44100, 96000, 192000] { show("rate \(rate)") { $0.rate = rate; $0.drift *= 3; $0.bufferFrames = $0.bufferFrames * rate / 48000 } }
    }

    @Test func printsDebug() {
        var d = SimulatedDevice(); d.drift = 100; d.bufferFrames = 1200; d.jitter = 20e-6; d.step = 0.001; d.seed = 3
        let r = d.play(seconds: 40)
        var last = 0.0
        for e in r.errors where e.time >= last { print("D \(e.time) \(Int(e.error * 1e6))"); last = e.time + 1 }
    }
}
