/// Savings and costs of `adaptivepool`.
enum BufferPoolBenchmark {
    static func run(_ arguments: [String]) {
        let seconds = arguments.dropFirst().first.flatMap(Int.init) ?? 60
        switch arguments.first {
        case "speed": PoolSpeed.run()
        case "real": PoolLoad.compare(seconds: seconds)
        case "real-one": PoolLoad.run(arguments.dropFirst(2).first ?? "", seconds: seconds)
        default: BufferPoolSimulation.run()
        }
    }
}
