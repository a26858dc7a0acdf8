// An `enum class` is no number.
enum class Mode { Off, On = 5 };
extern "C" __global__ void k(int* x)
{
    int a = Mode::On;
    x[0] = Mode::On + 1;
    x[Mode::Off] = 3;
    if (Mode::On)
        x[1] = Mode::On == 5;
    switch (Mode::On) {
    case 5: x[2] = 1;
    }
}
