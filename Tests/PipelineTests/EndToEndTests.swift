import Testing

/// Tests of the scripts, files and programs of the package as its users run them.
///
/// The tests are serialized, because several of them use all cores. Tests in Python are in ``PythonProgramTests``.
@Suite(.serialized) enum EndToEndTests {}
