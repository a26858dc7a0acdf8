#ifdef A
#else
#define F(a, b) a + b
#define G(a) \  
    a
#include "mine.h"
#endif
