/* What the stand-in driver has beside the functions of cuda.h. All of them return a CUresult. */
#ifndef CORNERTURN_CUDA_H
#define CORNERTURN_CUDA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The report as JSON with a NUL at its end. *bytes is the room there is, and becomes what is needed; where there is too
 * little, or text is null, nothing is written and CUDA_ERROR_INVALID_VALUE comes back. */
int cornerturnReport(char *text, size_t *bytes);

/* Forgets what was recorded so far: kernels, findings, remarks. */
int cornerturnForget(void);

/* How many findings there are, of kernels and of the program. */
int cornerturnFindings(int *count);

/* Whether launches are checked: CORNERTURN_CHECK=1. */
int cornerturnIsChecked(int *is_checked);

#ifdef __cplusplus
}
#endif

#endif
