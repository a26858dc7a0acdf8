void triple(int *values);
