#include "CVirtualDAC.h"

int cvirtualdac_register(void) { return 1; }
