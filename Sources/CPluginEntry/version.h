#pragma once

// The version of this project; plugin-build/deb reads it from this line, and CHANGELOG.md describes it.
#define SWIFTVIDEO_VERSION "0.1.0"
