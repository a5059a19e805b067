#pragma once

/// Registers `virtualdac`, an audio sink whose device runs at a rate of its own.
int cvirtualdac_register(void);
