import PoolPolicy

/// Prints stalls and memory of each policy under simulated loads.
enum BufferPoolSimulation {
    private typealias Policy = PoolSimulator.Policy

    /// Size of a frame in the published reference, in MB.
    private static let megabytes = 6.0
    private static let minutes = 60
    private static let framesPerMinute = 1800
    private static let seeds: [UInt64] = [1, 2, 3]

    static func run() {
        print("The published load (30 fps, 25-50 ms of work on a frame, in bursts), \(minutes) minutes, 3 seeds\n")
        printTable(.camera, published + predictors)
        for shape in LoadTrace.Shape.allCases where shape != .camera {
            print("\n\(shape.rawValue)\n")
            printTable(shape, [("fixed 8", .fixed(8)), ("fixed 16", .fixed(16))] + predictors)
        }
        print("\n48 hours of the published load, one seed\n")
        printTable(.camera, published + predictors, frames: 48 * 60 * framesPerMinute, seeds: [4])
    }

    private static let published: [(String, Policy)] = [
        ("fixed 8", .fixed(8)), ("fixed 16", .fixed(16)),
        ("published rules, 4-12", .adaptive(.published, growsOnDemand: false)),
        ("the same, on demand", .adaptive(.published, growsOnDemand: true)),
    ]

    private static var predictors: [(String, Policy)] {
        Predictor.allCases.map { predictor in
            var rules = PoolRules()
            rules.predictor = predictor
            return ("adaptive, \(predictor)", .adaptive(rules, growsOnDemand: true))
        }
    }

    private static func printTable(
        _ shape: LoadTrace.Shape, _ rows: [(String, Policy)], frames: Int = minutes * framesPerMinute,
        seeds: [UInt64] = seeds
    ) {
        print(
            Table.left("", 24)
                + Table.row("stalled %", "missed %", "in acquire %", "mean MB", "saved %", "peak MB", "resizes/h")
                + Table.row("osc. %", "breaker %"))
        let large = Double(16) * megabytes
        for (name, policy) in rows {
            let runs = seeds.map { PoolSimulator.run(policy, shape, seed: $0, frames: frames) }
            let mean = average(runs) { $0.meanSize } * megabytes
            print(
                Table.left(name, 24)
                    + Table.row(
                        Table.digits(average(runs) { 100 * Double($0.stalled) / Double($0.frames) }),
                        Table.digits(average(runs) { 100 * Double($0.missed) / Double($0.frames + $0.missed) }),
                        Table.digits(average(runs) { 100 * Double($0.grownOnDemand) / Double($0.frames) }),
                        Table.digits(mean), Table.digits(100 * (1 - (mean / large))),
                        Table.digits(average(runs) { Double($0.peakSize) } * megabytes),
                        Table.digits(average(runs) { Double($0.resizes) * 7200 / Double($0.windows) }))
                    + Table.row(
                        Table.digits(average(runs) { 100 * Double($0.reversals) / Double($0.windows) }),
                        Table.digits(average(runs) { 100 * Double($0.breakerOpenWindows) / Double($0.windows) })))
        }
    }

    private static func average(_ runs: [PoolSimulator.Result], _ number: (PoolSimulator.Result) -> Double) -> Double {
        runs.map(number).reduce(0, +) / Double(runs.count)
    }
}
