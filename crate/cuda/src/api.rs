//! The C functions of libcuda.so.1.
