#pragma once

/// The folder for the files of the tests of this process; it is not made here.
const char *cteststart_folder(void);
