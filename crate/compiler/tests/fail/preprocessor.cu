#ifdef A
#else
#define F(a, b) a + b
#include "mine.h"
#endif
