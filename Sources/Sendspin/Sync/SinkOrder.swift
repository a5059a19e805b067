import AudioSinks

/// A change of a sink's properties; it may call handlers of the application.
enum SinkOrder {
    case setSlaveMethod(AudioSink, String)
    case lengthenPeriod(AudioSink)
    case restorePeriod(AudioSink)

    func carryOut() {
        switch self {
        case .setSlaveMethod(let sink, let method): sink.setSlaveMethod(method)
        case .lengthenPeriod(let sink): sink.lengthenPeriod()
        case .restorePeriod(let sink): sink.restorePeriod()
        }
    }
}
