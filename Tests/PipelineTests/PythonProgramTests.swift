import Testing

/// Tests of the programs in Python, most of them with `unittest`.
///
/// The tests are serialized, because several of them start processes for each core. They run beside ``EndToEndTests``,
/// which mostly wait for builds of one core and for streams in real time.
@Suite(.serialized) enum PythonProgramTests {}
