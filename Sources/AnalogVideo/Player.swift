import AnalogVideoModel

public final class Player: NTSCPlayer {}
