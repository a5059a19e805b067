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
}
