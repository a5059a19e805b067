import AnalogVideoModel
import AnalogVideoPlayer
import Glibc

func now() -> Double { var t = timespec(); clock_gettime(CLOCK_MONOTONIC, &t); return Double(t.tv_sec) * 1e9 + Double(t.tv_nsec) }
final class P: StageProbe {
    var sums = [Double](repeating: 0, count: SignalStage.allCases.count)
    var last = 0.0
    override func blockBegins() { last = now() }
    override func finished(_ stage: SignalStage, luma: Span<SIMD8<Float>>, chromaI: Span<SIMD8<Float>>, chromaQ: Span<SIMD8<Float>>, firstRow: Int, chromaFirstRow: Int) {
        let t = now(); sums[stage.rawValue] += t - last; last = t
    }
}
for v in PlayerVariant.allCases { for (w, h) in [(640, 480), (1920, 1080), (3840, 2160)] {
    let player = makePlayer(width: w, height: h, variant: v)
    var px = [UInt8](repeating: 0, count: w * h * 4)
    for i in px.indices { px[i] = UInt8(truncatingIfNeeded: i &* 31 &+ (i >> 8) &* 7) }
    let l = PictureLayout(format: .bgrx, width: w, height: h, stride: w * 4)
    var ts: [Double] = []
    for f in 0..<15 { let t = now(); var s = px.mutableSpan; player.play(&s, layout: l, frame: UInt64(f), scan: .progressive, settings: NTSCSettings(), bands: 1, runner: SerialRunner()); ts.append(now() - t) }
    ts.sort()
    print(v, w, h, ts[7] / Double(w * h), "ns/px")
    let p = P()
    let pl = makePlayer(width: w, height: h, variant: v, probe: p)
    for f in 0..<5 { var s = px.mutableSpan; pl.play(&s, layout: l, frame: UInt64(f), scan: .progressive, settings: NTSCSettings(), bands: 1, runner: SerialRunner()) }
    if w == 1920 { for s in SignalStage.allCases { print("   ", s, p.sums[s.rawValue] / 5 / Double(w * h)) } }
} }
