import AnalogVideoModel

/// Several stages that are played in one loop over a block of rows.
protocol FusedSweep {
    /// Stages that the sweep replaces.
    static var stages: ClosedRange<SignalStage> { get }
}

/// One loop over the rows of a block: a stage, or a sweep that replaces several stages.
enum Pass: Sendable {
    case stage(SignalStage)
    case encodingSweep, receivingSweep, combSweep, tapeSweep, colourSweep

    var stages: ClosedRange<SignalStage> {
        switch self {
        case .stage(let stage): stage...stage
        case .encodingSweep: EncodingSweep.stages
        case .receivingSweep: ReceivingSweep.stages
        case .combSweep: CombSweep.stages
        case .tapeSweep: TapeSweep.stages
        case .colourSweep: ColourSweep.stages
        }
    }
}

extension SignalPath {
    /// Pass that begins with `stage`.
    func pass(from stage: SignalStage, allowsSweeps: Bool) -> Pass {
        guard allowsSweeps else { return .stage(stage) }
        return switch stage {
        case EncodingSweep.stages.lowerBound where encodingSweep != nil: .encodingSweep
        case ReceivingSweep.stages.lowerBound where receivingSweep != nil: .receivingSweep
        case CombSweep.stages.lowerBound where combSweep != nil: .combSweep
        case TapeSweep.stages.lowerBound where tapeSweep != nil: .tapeSweep
        case ColourSweep.stages.lowerBound where colourSweep != nil: .colourSweep
        default: .stage(stage)
        }
    }
}
