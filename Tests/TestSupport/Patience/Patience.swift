/// Longest time for which a test waits for a condition, a message or a program.
///
/// It only decides how long a test takes that fails, so it is longer than any load of the machine lasts.
public let patience = Duration.seconds(900)
