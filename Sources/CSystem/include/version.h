#pragma once

// The version of this project and of both plugins. plugin-build/deb reads it from this file, and CHANGELOG.md describes
// it. The major number is at least 2, because "gst-inspect-1.0 --exists ELEMENT" does not find elements of a plugin
// whose version is lower than that of GStreamer, which is 1.x.
#define SWIFTVIDEO_VERSION "2.0.0"
