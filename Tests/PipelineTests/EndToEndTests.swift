import Testing

/// Tests of the scripts, files and programs of the package as its users run them.
///
/// The tests are serialized, because each uses all cores.
@Suite(.serialized) enum EndToEndTests {}
