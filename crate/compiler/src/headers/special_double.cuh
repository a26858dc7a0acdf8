// The same as special.cuh for `double`. What a source calls `erfc` is here `__double_erfc`.
//@ __double_acosh: __double_log1p
__device__ inline double __double_acosh(double x)
{
    const double less = x - 1.0, square = fma(x, x, -1.0), inverse = __drsqrt_ftz(square);
    const bool is_large = (unsigned)__double2hiint(less) > 0x432fffffu;
    const double halved = __hiloint2double(__double2hiint(inverse) - 0x00100000, __double2loint(inverse)), root = square * inverse;
    const double better = fma(fma(root, -root, square), halved, root);
    const double best = fma(fma(better, -better, square), fma(fma(inverse, -better, 1.0), halved, halved), better);
    const double found = __double_log1p(less + (is_large ? -1.0000000000000002 : __double2hiint(less) == 0 ? 0.0 : best));
    return is_large ? found + 0.6931471805599453 : found;
}
//@ __double_asinh: __double_log1p __reciprocal
__device__ inline double __double_asinh(double x)
{
    const double size = fabs(x), square = fma(x, x, 1.0), inverse = __drsqrt_ftz(square);
    const double error = fma(square, -__dmul_rn(inverse, inverse), 1.0);
    const double below = fma(square, fma(fma(0.375, error, 0.5), __dmul_rn(error, inverse), inverse), 1.0);
    const bool is_large = (unsigned)__double2hiint(size) > 0x43dfffffu;
    const double found = __double_log1p(is_large ? size : fma(size, size * __reciprocal(below), size));
    return copysign(is_large ? found + 0.6931471805599453 : found, x);
}
//@ __double_atanh: __double_log1p
__device__ inline double __double_atanh(double x)
{
    const double size = fabs(x);
    const double a = (size + size) / (1.0 - size);
    return copysign(__double_log1p(a) * 0.5, x);
}
//@ __double_erfc: __power_series __reciprocal
__device__ inline double __double_erfc(double x)
{
    double result;
    const int high = __double2hiint(x);
    const int t1 = high & 0x7fffffff;
    const int low = __double2loint(x);
    if ((unsigned)t1 < 0x7ff00000u) {
        const double t2 = __hiloint2double(t1, low);
        const double t3 = t2 + 4.0;
        const double t4 = __reciprocal(t3);
        const double t5 = __dmul_rn(t2 + -4.0, t4);
        const double t6 = fma(t4, fma(-t5, t2, fma(-4.0, t5 + 1.0, t2)), t5);
        const double t7 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-3.56026948268174e-10, t6, -9.723912259144727e-09), t6, -8.935022485164912e-09), t6, 1.0404430921625484e-07), t6, 5.880669858534126e-08), t6, -8.214741492911691e-07), t6, 3.095640985330624e-07), t6, 5.708787184432565e-06), t6, -1.1231787437600085e-05), t6, -2.439955885720019e-05), t6, 0.00015062557169571788), t6, -0.00019925637684786154), t6, -0.0007577742918278583);
        const double t8 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(t7, t6, 0.005031969879259957), t6, -0.016197733895953217), t6, 0.03716751555301873), t6, -0.06633036582753243), t6, 0.09373283499711554), t6, -0.10103906603555676), t6, 0.06809705425473514), t6, 0.015379652102605428), t6, -0.13962111684056291), t6, 1.2329951186255526);
        const double t9 = fma(2.0, t2, 1.0);
        const double t10 = __reciprocal(t9);
        const double t11 = t8 * t10;
        const double t12 = t2 * t2;
        const double t13 = fma(-t12, 1.4426950408889634, 6755399441055744.0);
        const double t14 = t13 + -6755399441055744.0;
        const double t15 = fma(t14, -2.3190468138462996e-17, fma(t14, -0.6931471805599453, -t12));
        const double t16 = __power_series(t15);
        const int t17 = __double2loint(t13);
        const int t18 = (t17 + ((int)((unsigned)t17 >> 31))) >> 1;
        const double t19 = __hiloint2double(__double2hiint(t16) + (t18 << 20), __double2loint(t16)) * __hiloint2double(((t17 - t18) << 20) + 0x3ff00000, 0);
        const double t21 = fma(fma(t2, t11 * -2.0, t8) + (-t11), t10, t11) * fma(t19, fma(-t2, t2, t12), t19);
        const double t20 = ((unsigned)t1 > 0x403b4000u) ? 0.0 : t21;
        result = (high < 0) ? (2.0 - t20) : t20;
    } else {
        result = ((t1 == 0x7ff00000) && (low == 0)) ? ((high < 0) ? 2.0 : 0.0) : (x + x);
    }
    return result;
}
//@ __double_erfcx: __power_series __reciprocal
__device__ inline double __double_erfcx(double x)
{
    double result, t1;
    const int high = __double2hiint(x);
    if (fabsf(__int_as_float(high)) < 3.0f) {
        const double t2 = __hiloint2double(high & 0x7fffffff, __double2loint(x));
        const double t3 = t2 + 4.0;
        const double t4 = __reciprocal(t3);
        const double t5 = __dmul_rn(t2 + -4.0, t4);
        const double t6 = fma(t4, fma(-t5, t2, fma(-4.0, t5 + 1.0, t2)), t5);
        const double t7 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-3.56026948268174e-10, t6, -9.723912259144727e-09), t6, -8.935022485164912e-09), t6, 1.0404430921625484e-07), t6, 5.880669858534126e-08), t6, -8.214741492911691e-07), t6, 3.095640985330624e-07), t6, 5.708787184432565e-06), t6, -1.1231787437600085e-05), t6, -2.439955885720019e-05), t6, 0.00015062557169571788), t6, -0.00019925637684786154), t6, -0.0007577742918278583);
        const double t8 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(t7, t6, 0.005031969879259957), t6, -0.016197733895953217), t6, 0.03716751555301873), t6, -0.06633036582753243), t6, 0.09373283499711554), t6, -0.10103906603555676), t6, 0.06809705425473514), t6, 0.015379652102605428), t6, -0.13962111684056291), t6, 1.2329951186255526);
        const double t9 = fma(2.0, t2, 1.0);
        const double t10 = __reciprocal(t9);
        const double t11 = t8 * t10;
        result = fma(fma(t2, t11 * -2.0, t8) + (-t11), t10, t11);
    } else {
        const double t12 = __drcp_rn(x);
        const double t13 = t12 * t12;
        result = __dmul_rn(t12 * 0.5641895835477563, fma(fma(fma(fma(fma(-29.53125, t13, 6.5625), t13, -1.875), t13, 0.75), t13, -0.5), t13, 1.0));
    }
    if (!(__double2hiint(x) > -1)) {
        const double square = __dmul_rn(x, x);
        const double t14 = fma(square, 1.4426950408889634, 6755399441055744.0);
        const int t15 = __double2loint(t14);
        const double t16 = t14 + -6755399441055744.0;
        const double t17 = fma(t16, -2.3190468138462996e-17, fma(t16, -0.6931471805599453, square));
        const double t18 = __power_series(t17);
        const int t19 = __double2loint(t18);
        const int t20 = __double2hiint(t18);
        t1 = __hiloint2double(t20 + (t15 << 20), t19);
        const float t21 = fabsf(__int_as_float(__double2hiint(square)));
        if (!(t21 < 4.191793f)) {
            t1 = square + __longlong_as_double(0x7ff0000000000000ll);
            if (t21 < 4.227539f) {
                const int t22 = (t15 + ((int)((unsigned)t15 >> 31))) >> 1;
                t1 = __dmul_rn(__hiloint2double(t20 + (t22 << 20), t19), __hiloint2double(((t15 - t22) << 20) + 0x3ff00000, 0));
            }
        }
        const double t23 = t1 + t1;
        const double t24 = fma(t23, fma(x, x, -square), t23) - result;
        result = (t23 == __longlong_as_double(0x7ff0000000000000ll)) ? t23 : t24;
    }
    return result;
}
//@ __double_erfinv: __reciprocal
__device__ inline double __double_erfinv(double x)
{
    double t1;
    t1 = x;
    if (fabsf(__int_as_float(__double2hiint(t1))) < 1.875f) {
        const double t2 = fma(t1, -t1, 1.0);
        const int t3 = __double2hiint(t2);
        const double t4 = __hiloint2double((t3 & (int)0x801fffffu) | 0x3fe00000, __double2loint(t2));
        const double t5 = t4 + -1.0;
        const double t6 = t4 + 1.0;
        const double t7 = __reciprocal(t6);
        const double t8 = t5 * t7;
        const double t9 = fma(fma(-t8, t5, fma(-2.0, t8, t5)), t7, t8);
        const double t10 = t9 * t9;
        const double t11 = fma(t10 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.08504880051574228, t10, 0.04172484912686076), t10, 0.06052472622047064), t10, 0.06650560670418708), t10, 0.076932741976622), t10, 0.09090872239478873), t10, 0.11111111976824838), t10, 0.14285714274058975), t10, 0.20000000000077559), t10, 0.33333333333333154), t9, t9);
        const double t12 = fma(__hiloint2double(0x43300000, (((int)((unsigned)t3 >> 20)) & 2046) + 0x7ffffc02) - __hiloint2double(0x43300000, (int)0x80000000u), 0.6931471805599453, t11 + t11);
        if ((unsigned)__double2hiint(t12) < 0xc0190000u) {
            const double t13 = (-3.125) - t12;
            const double t14 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-3.64441206401782e-21, t13, -1.6850591381820166e-19), t13, 1.28584807152564e-18), t13, 1.1157877678025181e-17), t13, -1.333171662854621e-16), t13, 2.0972767875968562e-17), t13, 6.637638134358324e-15), t13, -4.054566272975207e-14), t13, -8.151934197605472e-14), t13, 2.6335093153082323e-12), t13, -1.2975133253453532e-11), t13, -5.415412054294628e-11), t13, 1.0512122733215323e-09);
            t1 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(t14, t13, -4.112633980346984e-09), t13, -2.9070369957882005e-08), t13, 4.2347877827932404e-07), t13, -1.3654692000834679e-06), t13, -1.3882523362786469e-05), t13, 0.00018673420803405714), t13, -0.000740702534166267), t13, -0.006033670871430149), t13, 0.24015818242558962), t13, 1.6536545626831027);
        } else {
            const double t15 = sqrt(-t12);
            if (__double2hiint(t15) < 0x40100000) {
                const double t16 = t15 + -3.25;
                const double t17 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(2.2137376921775787e-09, t16, 9.075656193888539e-08), t16, -2.7517406297064545e-07), t16, 1.8239629214389228e-08), t16, 1.5027403968909828e-06), t16, -4.013867526981546e-06), t16, 2.9234449089955446e-06), t16, 1.2475304481671779e-05), t16, -4.7318229009055734e-05), t16, 6.828485145957318e-05), t16, 2.4031110387097894e-05), t16, -0.0003550375203628475), t16, 0.0009532893797373805);
                t1 = fma(fma(fma(fma(fma(fma(t17, t16, -0.0016882755560235047), t16, 0.002491442096107851), t16, -0.003751208507569241), t16, 0.005370914553590064), t16, 1.0052589676941592), t16, 3.0838856104922208);
            } else {
                const double t18 = t15 + -5.0;
                const double t19 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-2.7109920616438573e-11, t18, -2.555641816996525e-10), t18, 1.5076572693500548e-09), t18, -3.789465440126737e-09), t18, 7.61570120807834e-09), t18, -1.496002662714924e-08), t18, 2.914795345090108e-08), t18, -6.771199775845234e-08), t18, 2.2900482228026655e-07), t18, -9.9298272942317e-07), t18, 4.526062597223154e-06), t18, -1.968177810553167e-05), t18, 7.599527703001776e-05);
                t1 = fma(fma(fma(fma(t19, t18, -0.00021503011930044477), t18, -0.00013871931833623122), t18, 1.0103004648645344), t18, 4.849906401408584);
            }
        }
    } else {
        const double t20 = fabs(t1);
        if (t20 <= __longlong_as_double(0x7ff0000000000000ll))
            t1 = (t20 == 1.0) ? __longlong_as_double(0x7ff0000000000000ll) : __longlong_as_double((long long)0xfff8000000000000ull);
    }
    return t1 * x;
}
//@ __double_erfcinv: __double_rsqrt __reciprocal
__device__ inline double __double_erfcinv(double x)
{
    double result, t1, t2, t3, t4;
    int t5, t6, t7, t8;
    const double t9 = 2.0 + (-x);
    if ((x >= 0.0009656933499369108) && (x <= 1.999034306650063)) {
        const double t10 = __dmul_rn(t9, x);
        const int t11 = __double2hiint(t10);
        const double t12 = __hiloint2double((t11 & (int)0x801fffffu) | 0x3fe00000, __double2loint(t10));
        const double t13 = t12 + -1.0;
        const double t14 = t12 + 1.0;
        const double t15 = __reciprocal(t14);
        const double t16 = t13 * t15;
        const double t17 = fma(fma(-t16, t13, fma(-2.0, t16, t13)), t15, t16);
        const double t18 = t17 * t17;
        const double t19 = fma(t18 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.08504880051574228, t18, 0.04172484912686076), t18, 0.06052472622047064), t18, 0.06650560670418708), t18, 0.076932741976622), t18, 0.09090872239478873), t18, 0.11111111976824838), t18, 0.14285714274058975), t18, 0.20000000000077559), t18, 0.33333333333333154), t17, t17);
        const double t20 = (-3.125) - fma(__hiloint2double(0x43300000, (((int)((unsigned)t11 >> 20)) & 2046) + 0x7ffffc02) - __hiloint2double(0x43300000, (int)0x80000000u), 0.6931471805599453, t19 + t19);
        const double t21 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-3.64441206401782e-21, t20, -1.6850591381820166e-19), t20, 1.28584807152564e-18), t20, 1.1157877678025181e-17), t20, -1.333171662854621e-16), t20, 2.0972767875968562e-17), t20, 6.637638134358324e-15), t20, -4.054566272975207e-14), t20, -8.151934197605472e-14), t20, 2.6335093153082323e-12), t20, -1.2975133253453532e-11), t20, -5.415412054294628e-11), t20, 1.0512122733215323e-09);
        const double t22 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(t21, t20, -4.112633980346984e-09), t20, -2.9070369957882005e-08), t20, 4.2347877827932404e-07), t20, -1.3654692000834679e-06), t20, -1.3882523362786469e-05), t20, 0.00018673420803405714), t20, -0.000740702534166267), t20, -0.006033670871430149), t20, 0.24015818242558962), t20, 1.6536545626831027);
        result = fma(t22, -x, t22);
    } else {
        const bool t23 = __double2hiint(x) > 0x3fefffff;
        t1 = t23 ? t9 : x;
        t5 = __double2hiint(t1);
        t6 = __double2loint(t1);
        if (!(__int_as_float(t5) >= 6.110554e-13f)) {
            t7 = -1023;
            if (!(t5 > 0x000fffff)) {
                t1 = t1 * 1.8014398509481984e16;
                t5 = __double2hiint(t1);
                t6 = __double2loint(t1);
                t7 = -1077;
            }
            if ((unsigned)(t5 + -1) < 0x7fefffffu) {
                t8 = t7 + ((int)((unsigned)t5 >> 20));
                const int t24 = (t5 & (int)0x800fffffu) | 0x3ff00000;
                t2 = __hiloint2double(t24, t6);
                if (!(t24 < 0x3ff6a09f)) {
                    const int t25 = __double2loint(t2);
                    const int t26 = __double2hiint(t2);
                    t2 = __hiloint2double(t26 - 0x00100000, t25);
                    t8 = t8 + 1;
                }
                const double t27 = t2 + 1.0;
                const double t28 = __reciprocal(t27);
                const double t29 = t2 + -1.0;
                const double t30 = fma(t29, t28, t29 * t28);
                const double t31 = t30 * t30;
                const double t32 = t29 - t30;
                const double t33 = __hiloint2double(0x43300000, t8 ^ (int)0x80000000u) - __hiloint2double(0x43300000, (int)0x80000000u);
                const double t34 = fma(t33, 0.6931471805599453, t30);
                t3 = t34 + fma(t33, 2.3190468138462996e-17, fma(t31 * fma(fma(fma(fma(fma(fma(fma(1.0263276909458365e-06, t31, 4.036488625710656e-06), t31, 1.8784407018835667e-05), t31, 8.877807196497797e-05), t31, 0.00043402779293201976), t31, 0.0022321428567665586), t31, 0.012500000000004514), t31, 0.08333333333333331), t30, t28 * fma(-t30, t29, t32 + t32)) - (fma(-t33, 0.6931471805599453, t34) - t30));
            } else {
                t3 = (__int_as_float(__double2hiint(t1)) == 0.0f) ? __longlong_as_double((long long)0xfff0000000000000ull) : fma(t1, __longlong_as_double(0x7ff0000000000000ll), __longlong_as_double(0x7ff0000000000000ll));
            }
            const double t35 = rsqrt(-t3);
            t4 = fma(fma(fma(fma(0.7775955730008021, t35, 1.6328311797427437), t35, 0.41796327487734297), t35, 0.023330972813256093), t35, 0.0002610582224071647) / (t35 * fma(fma(fma(fma(t35 + 1.3497521990745058, t35, 1.6818595730303654), t35, 0.4187565743603761), t35, 0.023331573970655654), t35, 0.0002610572869696108));
        } else {
            const double t36 = __hiloint2double((t5 & (int)0x801fffffu) | 0x3fe00000, t6);
            const double t37 = t36 + -1.0;
            const double t38 = t36 + 1.0;
            const double t39 = __reciprocal(t38);
            const double t40 = t37 * t39;
            const double t41 = fma(fma(-t40, t37, fma(-2.0, t40, t37)), t39, t40);
            const double t42 = t41 * t41;
            const double t43 = fma(t42 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.08504880051574228, t42, 0.04172484912686076), t42, 0.06052472622047064), t42, 0.06650560670418708), t42, 0.076932741976622), t42, 0.09090872239478873), t42, 0.11111111976824838), t42, 0.14285714274058975), t42, 0.20000000000077559), t42, 0.33333333333333154), t41, t41);
            const double t44 = -fma(__hiloint2double(0x43300000, (((int)((unsigned)t5 >> 20)) & 2046) + 0x7ffffc02) - __hiloint2double(0x43300000, (int)0x80000000u), 0.6931471805599453, t43 + t43);
            const double t45 = __drsqrt_ftz(t44);
            const double t46 = fma(t44, -__dmul_rn(t45, t45), 1.0);
            const double t47 = fma(fma(0.375, t46, 0.5), __dmul_rn(t46, t45), t45);
            t4 = fma(fma(fma(fma(fma(fma(fma(0.8722086652537561, t47, 2.0785659791501603), t47, 3.05788606328103), t47, 3.433547754237851), t47, 1.2068239635789821), t47, 0.14033373337606694), t47, 0.005338365518029045), t47, 5.1217434951970566e-05) / (t47 * fma(fma(fma(fma(fma(fma(fma(t47 + 2.2387999676904644, t47, 4.279921171209963), t47, 4.407122201553097), t47, 3.6633748801179196), t47, 1.2187093791443073), t47, 0.1404911872948574), t47, 0.005338482464667147), t47, 5.121723638870252e-05));
        }
        result = t23 ? (-t4) : t4;
    }
    return result;
}
//@ __double_normcdf: __double_erfc
__device__ inline double __double_normcdf(double x)
{
    const double z = fabs(x) > 38.5 ? copysign(38.5, x) : x;
    const double high = __dmul_rn(z, -0.7071067811865476), low = fma(z, 4.833646656726457e-17, fma(z, -0.7071067811865476, -high));
    const double sum = high + low;
    double found = __double_erfc(sum);
    if ((unsigned)__double2hiint(z) >= 0xbff00001u)
        found = fma((sum * -2.0) * found, (high - sum) + low, found);
    return found * 0.5;
}
//@ __double_normcdfinv: __double_erfcinv
__device__ inline double __double_normcdfinv(double x)
{
    const double found = __double_erfcinv(x + x);
    return fma(-1.414213562373095, found, found * -1.2537167179050217e-16) + 0.0;
}
//@ __angle_of_half_turns
__device__ inline double __angle_of_half_turns(double x, int* quadrant)
{
    const double k = rint(__hiloint2double(__double2hiint(x) + 0x00100000, __double2loint(x)));
    *quadrant = (int)__double2ll_rz(k);
    const double part = fma(-k, 0.5, x);
    return fma(part, 3.141592653589793, part * 1.2246467991473532e-16);
}
//@ __lgamma_of_positive: __double_log __reciprocal
__device__ inline double __lgamma_of_positive(double x)
{
    double result;
    const int high = __double2hiint(x);
    if (high > 0x4007ffff) {
        if (high > 0x401fffff) {
            const double a = log(x);
            const double b = __reciprocal(x);
            const double c = b * b;
            const double d = __hiloint2double(__double2hiint(a) - 0x00100000, __double2loint(a));
            const double e = x + -0.5;
            result = (x == __longlong_as_double(0x7ff0000000000000ll)) ? x : (fma(d, e, fma(fma(fma(fma(fma(fma(-0.001633436431, c, 0.00083645878922), c, -0.0005951896861197), c, 0.000793650576493454), c, -0.00277777777735865), c, 0.0833333333333331), b, 0.918938533204672)) + fma(d, e, -x));
        } else {
            const double f = x + -3.0;
            const double g = fma(fma(fma(fma(fma(fma(fma(-4024.1264274412556, f, -297693.796998962), f, -6383670.876825288), f, -55780721.45765393), f, -224585140.67147923), f, -470690608.5291251), f, -762587065.363263), f, -971405112.4771132) / fma(fma(fma(fma(fma(fma(f + -1022.7724835987317, f, -134815.35061795448), f, -4643211.888143436), f, -64801110.602554254), f, -419763847.78743136), f, -1256299260.1800072), f, -1401441338.464917);
            result = f + g;
        }
    } else {
        if (high > 0x3ff7ffff) {
            const double h = x + -2.0;
            const double k = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(9.848392830763106e-09, h, -6.697438504834665e-08), h, 2.1656514888001145e-07), h, -4.861702757815753e-07), h, 9.779620974011144e-07), h, -2.030412875747918e-06), h, 4.361197258053646e-06), h, -9.438293108664466e-06), h, 2.0510687849664422e-05), h, -4.4927138374210844e-05), h, 9.94570466342226e-05), h, -0.00022315458955923844), h, 0.0005096695591496374);
            result = h * fma(fma(fma(fma(fma(fma(fma(k, h, -0.001192753926491623), h, 0.002890510329368155), h, -0.007385551028068117), h, 0.020580808427812125), h, -0.06735230105320737), h, 0.32246703342411304), h, 0.4227843350984672);
        } else {
            if (high > 0x3fe66665) {
                const double m = 1.0 - x;
                const double p = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(0.011778691151933113, m, 0.03890467474135223), m, 0.05900457113620499), m, 0.06021433052543444), m, 0.05616527089648392), m, 0.05750527551934614), m, 0.06210619734473207), m, 0.06676147245325219), m, 0.0714856037245421), m, 0.07693112513133471), m, 0.08335031297149463), m, 0.09095382889911828), m, 0.10009959154632231), m, 0.11133427814173451);
                result = m * fma(fma(fma(fma(fma(fma(fma(fma(p, m, 0.12550966661346288), m, 0.14404989645770416), m, 0.1695571770314816), m, 0.20738555103218212), m, 0.27058080842760035), m, 0.40068563438651705), m, 0.8224670334241135), m, 0.5772156649015329);
            } else {
                const double q = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-9.04051686831358e-08, x, 7.068142249693493e-07), x, -3.8070215463790283e-07), x, -2.128808921893161e-05), x, 0.0001291084703071562), x, -0.00021593281521538658), x, -0.0011648432438853848), x, 0.007218834330444707), x, -0.009621945795142296), x, -0.042197738699288445), x, 0.16653861181368246), x, -0.042002635060682), x, -0.6558780715194275), x, 0.5772156649015239);
                result = -log(fma(q * x, x, x));
            }
        }
    }
    return result;
}
//@ __double_lgamma: __angle_of_half_turns __double_log __double_sine_of __lgamma_of_positive
__device__ inline double __double_lgamma(double x)
{
    const double size = fabs(x);
    if (!(size <= __longlong_as_double(0x7ff0000000000000ll)))
        return x + x;
    const double found = __lgamma_of_positive(size);
    if (__double2hiint(x) >= 0)
        return found;
    // Of a negative number by reflection.
    if (size == trunc(size))
        return __longlong_as_double(0x7ff0000000000000ll);
    if (__double2hiint(size) < 0x3c000000)
        return -log(size);
    int quadrant;
    const double r = __angle_of_half_turns(size, &quadrant);
    return log(3.141592653589793 / (size * fabs(__double_sine_of(r, quadrant)))) - found;
}
//@ __double_tgamma: __angle_of_half_turns __double_sine_of __positive_power __power_series __reciprocal
__device__ inline double __double_tgamma(double x)
{
    double t1, result, t2, t3, t4, t5, t6, t7, t8, t9;
    int t10, t11, t12, t13, t14;
    t1 = x;
    t10 = __double2hiint(t1);
    const float t15 = __int_as_float(t10);
    if (!(t1 >= 0.0)) {
        if (t1 < 0.0) {
            result = __longlong_as_double((long long)0xfff8000000000000ull);
            if (trunc(t1) != t1) {
                if (t15 > -2.25f) {
                    t2 = t1;
                    if (t15 <= -2.1875f) {
                        const double t16 = fma(t1, t1, t1);
                        t2 = t1 + 1.0;
                        t1 = t16;
                    }
                    if (t15 <= -2.0625f) {
                        t1 = fma(t2, t1, t1);
                        t2 = t2 + 1.0;
                    }
                    if (t15 <= -1.9375f) {
                        t1 = fma(t2, t1, t1);
                        t2 = t2 + 1.0;
                    }
                    if (t15 <= -1.75f) {
                        t1 = fma(t2, t1, t1);
                        t2 = t2 + 1.0;
                    }
                    const double t17 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(5.6127524987199165e-09, t2, -2.009042651834998e-07), t2, 1.1329142825413717e-06), t2, -1.2522675054285835e-06), t2, -2.0134752277265405e-05), t2, 0.00012805062037740884), t2, -0.00021524169706963982), t2, -0.0011651676262863868), t2, 0.007218943248964928), t2, -0.00962197152607982), t2, -0.04219773455564866), t2, 0.1665386113822502), t2, -0.04200263503409351);
                    result = __drcp_rn(t1 * fma(fma(fma(t17, t2, -0.6558780715202536), t2, 0.5772156649015329), t2, 1.0));
                } else {
                    if (t15 > -3.6113281f) {
                        int quadrant;
                        const double t18 = __angle_of_half_turns(t1, &quadrant);
                        t3 = __double_sine_of(t18, quadrant);
                        const double t19 = fabs(t1);
                        const double t20 = fma(t19, 1.4426950408889634, 6755399441055744.0);
                        const int t21 = __double2loint(t20);
                        const double t22 = t20 + -6755399441055744.0;
                        const double t23 = fma(t22, -2.3190468138462996e-17, fma(t22, -0.6931471805599453, t19));
                        t4 = __power_series(t23);
                        if (abs(t21) < 1023) {
                            t11 = (t21 << 20) + 0x3ff00000;
                        } else {
                            const int t24 = t21 + 2046;
                            const int t25 = (t24 << 19) & (int)0xfff00000u;
                            t11 = (t24 << 20) - t25;
                            t4 = t4 * __hiloint2double(t25, 0);
                        }
                        const double t26 = __reciprocal(t19);
                        const double t27 = t4 * __hiloint2double(t11, 0);
                        const double t28 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-0.002532430896981432, t26, 0.004824033590183204), t26, -0.0033551299233348037), t26, 0.0003304692780897059), t26, 0.0008100461863822245), t26, -4.975363348787319e-05), t26, -0.0005922109240594148), t26, 6.972410815736525e-05), t26, 0.0007840396270128382), t26, -0.00022947210967191528), t26, -0.0026813271601764392), t26, 0.0034722222222193094), t26, 0.08333333333333334);
                        const double t29 = fma(t27, 1.2533141373155003, t27 * -9.164289990229583e-17) / (t19 * fma(t26 * t28, t3, t3));
                        t5 = t19 + -0.5;
                        if (t15 <= -3.529541f) {
                            const int t30 = __double2loint(t5);
                            const int t31 = __double2hiint(t5);
                            t5 = __hiloint2double(t31 - 0x00100000, t30);
                        }
                        const double t32 = __positive_power(t19, -t5);
                        result = t32 * ((t15 <= -3.529541f) ? (t29 * t32) : t29);
                    } else {
                        const double t33 = floor(t1);
                        const double t34 = floor(t33 * 0.5);
                        result = ((t33 - (t34 + t34)) == 1.0) ? -0.0 : 0.0;
                    }
                }
            }
        } else {
            result = t1 + t1;
        }
    } else {
        if (t15 < 2.25f) {
            t6 = 1.0;
            t7 = t1;
            if (t15 >= 2.1875f) {
                t6 = fma(t1, 1.0, -1.0);
                t7 = t1 + -1.0;
            }
            if (t15 >= 2.0625f) {
                const double t35 = -t6;
                t6 = fma(t7, t6, t35);
                t7 = t7 + -1.0;
            }
            if (t15 >= 1.9375f) {
                const double t36 = -t6;
                t6 = fma(t7, t6, t36);
                t7 = t7 + -1.0;
            }
            const bool t37 = t15 >= 1.75f;
            const double t38 = t37 ? (t7 + -1.0) : t7;
            const double t39 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(5.6127524987199165e-09, t38, -2.009042651834998e-07), t38, 1.1329142825413717e-06), t38, -1.2522675054285835e-06), t38, -2.0134752277265405e-05), t38, 0.00012805062037740884), t38, -0.00021524169706963982), t38, -0.0011651676262863868), t38, 0.007218943248964928), t38, -0.00962197152607982), t38, -0.04219773455564866), t38, 0.1665386113822502), t38, -0.04200263503409351);
            const double t40 = fma(fma(fma(t39, t38, -0.6558780715202536), t38, 0.5772156649015329), t38, 1.0);
            result = t6 / (t37 ? t40 : (t40 * t1));
        } else {
            t12 = __double2loint(t1);
            t13 = (int)((unsigned)t10 >> 20);
            if (t13 == 0) {
                const double t41 = t1 * 1.8014398509481984e16;
                t10 = __double2hiint(t41);
                t12 = __double2loint(t41);
                t13 = ((int)((unsigned)t10 >> 20)) + -54;
            }
            t14 = t13 + -1023;
            const int t42 = (t10 & (int)0x800fffffu) | 0x3ff00000;
            t8 = __hiloint2double(t42, t12);
            if ((unsigned)t42 >= 0x3ff6a09fu) {
                const int t43 = __double2loint(t8);
                const int t44 = __double2hiint(t8);
                t8 = __hiloint2double(t44 - 0x00100000, t43);
                t14 = t13 + -1022;
            }
            const double t45 = t8 + 1.0;
            const double t46 = __reciprocal(t45);
            const double t47 = t8 + -1.0;
            const double t48 = fma(t47, t46, t47 * t46);
            const double t49 = t48 * t48;
            const double t50 = fma(fma(fma(fma(fma(fma(1.0109501899597673e-06, t49, 4.043636205277137e-06), t49, 1.8783065870784382e-05), t49, 8.877820186630203e-05), t49, 0.0004340277860504996), t49, 0.002232142856960391), t49, 0.012500000000001945);
            const double t51 = t47 - t48;
            const double t52 = __dmul_rn(t46, fma(-t48, t47, t51 + t51));
            const double t53 = fma(t49, t50, 0.08333333333333333);
            const double t54 = (fma(t49, t50, 0.08333333333333333 - t53) + 0.0) + -2.4550373211645616e-18;
            const double t55 = t53 + t54;
            const double t56 = __dmul_rn(t48, t48);
            const double t57 = __dmul_rn(t56, t48);
            const double t58 = __dmul_rn(t55, t57);
            const double t59 = fma(t54 + (t53 - t55), t57, fma(t55, fma(fma(t48, __hiloint2double(__double2hiint(t52) + 0x00100000, __double2loint(t52)), fma(t48, t48, -t56)), t48, fma(t56, t52, fma(t56, t48, -t57))), fma(t55, t57, -t58)));
            const double t60 = t58 + t59;
            const double t61 = t48 + t60;
            const double t62 = t52 + ((t59 + (t58 - t60)) + (t60 + (t48 - t61)));
            const double t63 = t61 + t62;
            const double t64 = __hiloint2double(0x43300000, t14 ^ (int)0x80000000u) - __hiloint2double(0x43300000, (int)0x80000000u);
            const double t65 = fma(t64, 0.6931471805599453, t63);
            const double t66 = fma(t64, 2.3190468138462996e-17, (t62 + (t61 - t63)) - (fma(-t64, 0.6931471805599453, t65) - t63));
            const double t67 = t65 + t66;
            const double t68 = t1 + -0.5;
            const double t69 = __dmul_rn(t67, t68);
            const double t70 = fma(t66 + (t65 - t67), t68, fma(t67, t68, -t69));
            const double t71 = t69 + t70;
            const double t72 = t71 - t1;
            const double t73 = (t70 + (t69 - t71)) + ((t71 - t72) - t1);
            const double t74 = t72 + t73;
            const double t75 = fma(t74, 1.4426950408889634, 6755399441055744.0);
            const double t76 = t75 + -6755399441055744.0;
            const double t77 = fma(t76, -2.3190468138462996e-17, fma(t76, -0.6931471805599453, t74));
            const double t78 = __power_series(t77);
            const int t79 = __double2loint(t78);
            const int t80 = __double2hiint(t78);
            t9 = __hiloint2double(t80 + (__double2loint(t75) << 20), t79);
            const float t81 = fabsf(__int_as_float(__double2hiint(t74)));
            if (!(t81 < 4.191793f)) {
                t9 = (t74 < 0.0) ? 0.0 : (t74 + __longlong_as_double(0x7ff0000000000000ll));
                if (t81 < 4.227539f) {
                    const int t82 = __double2loint(fma(t74, 1.4426950408889634, 6755399441055744.0));
                    const int t83 = (t82 + ((int)((unsigned)t82 >> 31))) >> 1;
                    t9 = __hiloint2double(t80 + (t83 << 20), t79) * __hiloint2double(((t82 - t83) << 20) + 0x3ff00000, 0);
                }
            }
            const double t84 = fma(t73 + (t72 - t74), t9, t9);
            const double t85 = fma(t84, 2.5066282746310007, t84 * -1.8328579980459167e-16);
            const double t86 = __reciprocal(x);
            const double t87 = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(-0.002532430896981432, t86, 0.004824033590183204), t86, -0.0033551299233348037), t86, 0.0003304692780897059), t86, 0.0008100461863822245), t86, -4.975363348787319e-05), t86, -0.0005922109240594148), t86, 6.972410815736525e-05), t86, 0.0007840396270128382), t86, -0.00022947210967191528), t86, -0.0026813271601764392), t86, 0.0034722222222193094);
            result = (x >= 171.62437695630274) ? __longlong_as_double(0x7ff0000000000000ll) : fma(t86 * fma(t87, t86, 0.08333333333333334), t85, t85);
        }
    }
    return result;
}
//@ __double_rcbrt
__device__ inline double __double_rcbrt(double x)
{
    int a, b, c, d;
    double e;
    a = __double2loint(x);
    const int high = __double2hiint(x);
    b = high & 0x7fffffff;
    c = (int)((unsigned)b >> 20);
    d = 0;
    if (c == 0) {
        const double f = __hiloint2double(high & 0x7fffffff, a);
        const double g = f * 1.8014398509481984e16;
        a = __double2loint(g);
        b = __double2hiint(g);
        c = (int)((unsigned)b >> 20);
        d = 18;
    }
    const int h = __float2int_rn(__int2float_rn(c + -1022) * 0.33333334f);
    const double k = __hiloint2double(h * (int)0xffd00000u + b, a);
    const double m = (double)__ex2_ftz(__lg2_ftz(__double2float_rn(k)) * -0.33333334f);
    const double p = __dmul_rn(m, m);
    const double q = __dmul_rn(k, m);
    const double r = fma(q, -fma(m, m, -p), fma(p, -fma(k, m, -q), fma(p, -q, 1.0)));
    const double s = fma(fma(0.2222222222222222, r, 0.3333333333333333), __dmul_rn(r, m), m);
    const double t = __hiloint2double(__double2hiint(s) + ((d - h) << 20), __double2loint(s));
    const double u = x + x;
    if (u == x) {
        e = __hiloint2double(high ^ 0x7ff00000, 0);
    } else {
        e = (!(fabs(x) <= __longlong_as_double(0x7ff0000000000000ll))) ? u : t;
    }
    return copysign(e, x);
}
//@ __double_logb
__device__ inline double __double_logb(double x)
{
    double result;
    const double size = fabs(x);
    if (!(size <= __longlong_as_double(0x7ff0000000000000ll))) {
        result = x + x;
    } else {
        result = __longlong_as_double(0x7ff0000000000000ll);
        if (size != __longlong_as_double(0x7ff0000000000000ll)) {
            result = __longlong_as_double((long long)0xfff0000000000000ull);
            if (size != 0.0) {
                const int a = __double2hiint(size);
                if ((unsigned)a > 0xfffffu) {
                    result = __int2double_rn(((int)((unsigned)a >> 20)) + -1023);
                } else {
                    result = __int2double_rn((-1011) - __clzll((long long)((unsigned long long)((long long)(unsigned)a) << 32 | (unsigned)((long long)(unsigned)__double2loint(size)))));
                }
            }
        }
    }
    return result;
}
//@ __double_cyl_bessel_i0: __power_series __reciprocal
__device__ inline double __double_cyl_bessel_i0(double x)
{
    double a, result;
    const double size = fabs(x);
    if ((unsigned)(__double2hiint(size) + (int)0xbfd9e604u) < 0x799e604u) {
        const double b = __dmul_rn(size, 0.5);
        const double c = fma(b, 1.4426950408889634, 6755399441055744.0);
        const int d = __double2loint(c);
        const double e = c + -6755399441055744.0;
        const double f = fma(e, -2.3190468138462996e-17, fma(e, -0.6931471805599453, b));
        const double g = __power_series(f);
        const int h = __double2loint(g);
        const int k = __double2hiint(g);
        a = __hiloint2double(k + (d << 20), h);
        const float m = fabsf(__int_as_float(__double2hiint(b)));
        if (!(m < 4.191793f)) {
            a = (b < 0.0) ? 0.0 : (b + __longlong_as_double(0x7ff0000000000000ll));
            if (m < 4.227539f) {
                const int p = (d + ((int)((unsigned)d >> 31))) >> 1;
                a = __hiloint2double(k + (p << 20), h) * __hiloint2double(((d - p) << 20) + 0x3ff00000, 0);
            }
        }
        const double q = __reciprocal(size);
        const double r = __drsqrt_ftz(size);
        const double s = fma(size, -__dmul_rn(r, r), 1.0);
        const double t = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(5092220866.217557, q, 8573015295.215913), q, -7124127871.343613), q, 2287682196.159684), q, -421919831.7996111), q, 51006516.886431605), q, -4304872.574113096), q, 262387.0133268093), q, -11726.458210321365), q, 389.88079458597497), q, -8.711719996099603), q, 0.3938523535835017), q, 0.08853891428092191), q, 0.04475982339956118);
        result = a * ((fma(fma(fma(fma(t, q, 0.029219307956309174), q, 0.02805062941166575), q, 0.04986778504963047), q, 0.39894228040143304) * fma(fma(0.375, s, 0.5), __dmul_rn(s, r), r)) * a);
    } else {
        const double u = size * size;
        const double v = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(9.570907555672412e-40, u, 2.911237809615527e-37), u, 6.106789567924076e-34), u, 4.783139557748027e-31), u, 3.8577538849440383e-28), u, 2.5964593691150315e-25), u, 1.4964235720813853e-22), u, 7.242214839388708e-20), u, 2.8969049594568713e-17), u, 9.385966582704343e-15), u, 2.4028075570232502e-12), u, 4.709502796126853e-10), u, 6.781684027854023e-08);
        result = fma(fma(fma(fma(fma(v, u, 6.781684027774118e-06), u, 0.00043402777777778675), u, 0.015624999999999991), u, 0.25), u, 1.0);
    }
    return result;
}
//@ __double_cyl_bessel_i1: __power_series __reciprocal
__device__ inline double __double_cyl_bessel_i1(double x)
{
    double a, result;
    const double size = fabs(x);
    if ((unsigned)(__double2hiint(size) + (int)0xbfda0000u) < 0x79a0000u) {
        const double b = __dmul_rn(size, 0.5);
        const double c = fma(b, 1.4426950408889634, 6755399441055744.0);
        const int d = __double2loint(c);
        const double e = c + -6755399441055744.0;
        const double f = fma(e, -2.3190468138462996e-17, fma(e, -0.6931471805599453, b));
        const double g = __power_series(f);
        const int h = __double2loint(g);
        const int k = __double2hiint(g);
        a = __hiloint2double(k + (d << 20), h);
        const float m = fabsf(__int_as_float(__double2hiint(b)));
        if (!(m < 4.191793f)) {
            a = (b < 0.0) ? 0.0 : (b + __longlong_as_double(0x7ff0000000000000ll));
            if (m < 4.227539f) {
                const int p = (d + ((int)((unsigned)d >> 31))) >> 1;
                a = __hiloint2double(k + (p << 20), h) * __hiloint2double(((d - p) << 20) + 0x3ff00000, 0);
            }
        }
        const double q = __reciprocal(size);
        const double r = __drsqrt_ftz(size);
        const double s = fma(size, -__dmul_rn(r, r), 1.0);
        const double t = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(1640658591.5879254, q, -14279800016.127026), q, 9322346104.749939), q, -2794898641.7836614), q, 500039579.03130484), q, -59499968.247650094), q, 4977645.49739106), q, -301907.2111281756), q, 13459.341882089166), q, -447.03773216640997), q, 9.986274449435115), q, -0.45985068950833535), q, -0.10836417269190061), q, -0.05754598408656677);
        result = copysign(__dmul_rn(__dmul_rn(__dmul_rn(fma(fma(fma(fma(t, q, -0.040907055084192644), q, -0.04675104885567992), q, -0.14960335514990164), q, 0.39894228040143226), fma(fma(0.375, s, 0.5), __dmul_rn(s, r), r)), a), a), x);
    } else {
        const double square = __dmul_rn(x, x);
        const double u = fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(fma(3.3137253377452213e-38, square, 8.80951374130363e-36), square, 1.851356465114323e-32), square, 1.3349060575742374e-29), square, 1.0036698880562031e-26), square, 6.230821939023837e-24), square, 3.292182475870452e-21), square, 1.448440248348126e-18), square, 5.214429981813384e-16), square, 1.501754624014612e-13), square, 3.363930585490148e-11), square, 5.651403354612596e-09), square, 6.78168402791589e-07);
        result = fma(x, __dmul_rn(fma(fma(fma(u, square, 5.425347222216252e-05), square, 0.0026041666666667966), square, 0.062499999999999896), square), x * 0.5);
    }
    return result;
}
//@ __double_ilogb
__device__ inline int __double_ilogb(double x)
{
    int result;
    const double size = fabs(x);
    const int a = (int)0x80000000u;
    result = a;
    if (size <= __longlong_as_double(0x7ff0000000000000ll)) {
        result = 0x7fffffff;
        if (size != __longlong_as_double(0x7ff0000000000000ll)) {
            result = a;
            if (x != 0.0) {
                const int b = __double2hiint(size);
                if ((unsigned)b > 0xfffffu) {
                    result = ((int)((unsigned)b >> 20)) + -1023;
                } else {
                    result = (-1011) - __clzll((long long)((unsigned long long)((long long)(unsigned)b) << 32 | (unsigned)((long long)(unsigned)__double2loint(size))));
                }
            }
        }
    }
    return result;
}
//@ __double_nextafter
__device__ inline double __double_nextafter(double x, double y)
{
    const long long a = __double_as_longlong(x);
    if ((!(fabs(x) <= __longlong_as_double(0x7ff0000000000000ll))) || (!(fabs(y) <= __longlong_as_double(0x7ff0000000000000ll)))) {
        y = x + y;
    } else {
        if (!(((__double_as_longlong(y) | a) & 0x7fffffffffffffffll) == 0)) {
            if ((a & 0x7fffffffffffffffll) == 0) {
                y = copysign(5e-324, y);
            } else {
                const bool b = x < y;
                const bool c = x < 0.0;
                const bool d = x > 0.0;
                const bool e = x > y;
                y = __longlong_as_double((((((c && b) ? -1 : 0) + a) + ((d && b) ? 1 : 0)) + ((c && e) ? 1 : 0)) + ((d && e) ? -1 : 0));
            }
        }
    }
    return y;
}
//@ __double_remquo
__device__ inline double __double_remquo(double x, double y, int* quotient)
{
    const double infinity = __longlong_as_double(0x7ff0000000000000);
    double a = fabs(x);
    const double b = fabs(y);
    *quotient = 0;
    if (!(a < infinity) || !(b < infinity)) {
        if (!(a <= infinity && b <= infinity))
            return x + y;
        return a == infinity ? __longlong_as_double(0xfff8000000000000) : x;
    }
    if (b == 0.0)
        return __longlong_as_double(0xfff8000000000000);
    unsigned bits = 0;
    if (a >= b) {
        int of_a = __double2hiint(a) >> 20, of_b = __double2hiint(b) >> 20;
        if (of_a == 0) {
            a = __dmul_rn(a, 1.8014398509481984e+16);
            of_a = (__double2hiint(a) >> 20) - 54;
        }
        double c = b;
        if (of_b == 0) {
            c = __dmul_rn(b, 1.8014398509481984e+16);
            of_b = (__double2hiint(c) >> 20) - 54;
        }
        const long long divisor = (__double_as_longlong(c) & 0xfffffffffffffll) | 0x10000000000000ll;
        long long rest = (__double_as_longlong(a) & 0xfffffffffffffll) | 0x10000000000000ll;
        for (int left = of_a - of_b; left >= 0; left--) {
            const long long less = rest - divisor;
            bits = bits << 1 | (less >= 0);
            rest = less < 0 ? rest : less;
            if (left > 0)
                rest <<= 1;
        }
        a = 0.0;
        if (rest != 0) {
            const int shift = __clzll(rest) - 11;
            rest <<= shift;
            of_b -= shift;
            a = __longlong_as_double(of_b > 0 ? rest + ((long long)(of_b - 1) << 52) : rest >> (1 - of_b));
        }
    }
    // To the nearest multiple, of two that are as near to the even one.
    const double twice = a + a;
    if (twice > b || (twice == b && (bits & 1) != 0)) {
        bits++;
        a = a - b;
    }
    const int sign = (__double2hiint(x) ^ __double2hiint(y)) >> 31;
    *quotient = ((int)(bits & 7) ^ sign) - sign;
    return __hiloint2double(__double2hiint(a) ^ (__double2hiint(x) & (int)0x80000000u), __double2loint(a));
}
//@ __double_remainder: __double_remquo
__device__ inline double __double_remainder(double x, double y)
{
    int quotient;
    return __double_remquo(x, y, &quotient);
}
//@ __double_rhypot
__device__ inline double __double_rhypot(double x, double y)
{
    double result, a;
    const long long b = __double_as_longlong(fabs(y));
    const long long c = __double_as_longlong(fabs(x));
    const double d = __longlong_as_double((long long)min((unsigned long long)b, (unsigned long long)c));
    const double e = __longlong_as_double((long long)max((unsigned long long)b, (unsigned long long)c));
    const double f = __hiloint2double(0x7fd00000 - (__double2hiint(e) & (int)0xffc00000u), 0);
    const double g = f * d;
    const double h = f * e;
    const double k = fma(h, h, g * g);
    const double m = __drsqrt_ftz(k);
    const double p = fma(k, -__dmul_rn(m, m), 1.0);
    result = f * fma(fma(0.375, p, 0.5), __dmul_rn(p, m), m);
    const int q = __double2hiint(__longlong_as_double(0x7ff0000000000000ll));
    if (!((unsigned)__double2hiint(result) < (unsigned)q)) {
        if (!(fabs(e) <= __longlong_as_double(0x7ff0000000000000ll))) {
            a = e + d;
        } else {
            a = __hiloint2double((e != __longlong_as_double(0x7ff0000000000000ll)) ? q : 0, 0);
        }
        result = (d == __longlong_as_double(0x7ff0000000000000ll)) ? 0.0 : a;
    }
    return result;
}
//@ __double_norm_parts
__device__ inline double __double_norm_parts(int n, const double* x, double* largest, double* scale)
{
    double most = fabs(x[0]);
    for (int i = 1; i < n; i++)
        most = fmax(fabs(x[i]), most);
    const double by = __hiloint2double(0x7fd00000 - (__double2hiint(most) & (int)0xffc00000u), 0), top = most * by;
    double sum = 0.0;
    bool is_skipped = false;
    for (int i = 0; i < n; i++) {
        const double v = by * fabs(x[i]);
        if (v == top && !is_skipped)
            is_skipped = true;
        else
            sum = __fma_rn(v, v, sum);
    }
    *largest = most;
    *scale = by;
    return sum;
}
//@ __double_norm: __double_norm_parts
__device__ inline double __double_norm(int n, const double* x)
{
    double most, by;
    const double sum = __double_norm_parts(n, x, &most, &by), top = most * by, all = __fma_rn(top, top, sum);
    if (sum == 0.0 || (unsigned)__double2hiint(most) >= 0x7ff00000u)
        return most;
    const double r = fmin(all, 1.7976931348623157e308), s = __drsqrt_ftz(r);
    const double t = fma(r, -__dmul_rn(s, s), 1.0);
    return (all * fma(fma(0.375, t, 0.5), __dmul_rn(t, s), s)) * __hiloint2double((__double2hiint(most) & (int)0xffc00000u) + 0x00100000, 0);
}
//@ __double_rnorm: __double_norm_parts
__device__ inline double __double_rnorm(int n, const double* x)
{
    double most, by;
    const double sum = __double_norm_parts(n, x, &most, &by), top = most * by;
    const double root = __drsqrt(__fma_rn(top, top, sum));
    return most == __longlong_as_double(0x7ff0000000000000ll) ? 0.0 : by * root;
}
//@ __double_norm3d
__device__ inline double __double_norm3d(double x, double y, double z)
{
    const double size = fabs(x);
    const double a = fabs(y);
    const double b = fabs(z);
    const double c = (size + a) + b;
    const double d = fmax(size, a);
    const double e = fmax(d, b);
    const int f = __double2hiint(e);
    const int g = f & (int)0xffc00000u;
    const double h = __hiloint2double(0x7fd00000 - g, 0);
    const double k = fmin(d, b) * h;
    const double m = fmin(size, a) * h;
    const double p = e * h;
    const double q = fma(p, p, fma(m, m, k * k));
    const double r = fmin(q, 1.7976931348623157e308);
    const double s = __drsqrt_ftz(r);
    const double t = fma(r, -__dmul_rn(s, s), 1.0);
    return ((unsigned)f < (unsigned)__double2hiint(__longlong_as_double(0x7ff0000000000000ll))) ? ((c > e) ? ((q * fma(fma(0.375, t, 0.5), __dmul_rn(t, s), s)) * __hiloint2double(g | 0x00100000, 0)) : c) : e;
}
//@ __double_rnorm3d
__device__ inline double __double_rnorm3d(double x, double y, double z)
{
    const double size = fabs(x);
    const double a = fabs(y);
    const double b = fabs(z);
    const double c = (size + a) + b;
    const double d = fmax(size, a);
    const double e = fmax(d, b);
    const double f = __hiloint2double(0x7fd00000 - (__double2hiint(e) & (int)0xffc00000u), 0);
    const double g = fmin(d, b) * f;
    const double h = fmin(size, a) * f;
    const double k = e * f;
    const double m = fma(k, k, fma(h, h, g * g));
    const double p = __drsqrt_ftz(m);
    const double q = fma(m, -__dmul_rn(p, p), 1.0);
    return (e == __longlong_as_double(0x7ff0000000000000ll)) ? 0.0 : ((c > 0.0) ? (f * fma(fma(0.375, q, 0.5), __dmul_rn(q, p), p)) : (c + __longlong_as_double(0x7ff0000000000000ll)));
}
//@ __double_norm4d
__device__ inline double __double_norm4d(double x, double y, double z, double w)
{
    const double size = fabs(x);
    const double t1 = fabs(y);
    const double t2 = fabs(z);
    const double t3 = fabs(w);
    const double t4 = ((size + t1) + t2) + t3;
    const double t5 = fmax(size, t1);
    const double t6 = fmax(t5, t2);
    const double t7 = fmax(t6, t3);
    const int t8 = __double2hiint(t7);
    const int t9 = t8 & (int)0xffc00000u;
    const double t10 = __hiloint2double(0x7fd00000 - t9, 0);
    const double t11 = fmin(t6, t3) * t10;
    const double t12 = fmin(t5, t2) * t10;
    const double t13 = fmin(size, t1) * t10;
    const double t14 = t7 * t10;
    const double t15 = fma(t14, t14, fma(t13, t13, fma(t12, t12, t11 * t11)));
    const double t16 = fmin(t15, 1.7976931348623157e308);
    const double t17 = __drsqrt_ftz(t16);
    const double t18 = fma(t16, -__dmul_rn(t17, t17), 1.0);
    return ((unsigned)t8 < (unsigned)__double2hiint(__longlong_as_double(0x7ff0000000000000ll))) ? ((t4 > t7) ? ((t15 * fma(fma(0.375, t18, 0.5), __dmul_rn(t18, t17), t17)) * __hiloint2double(t9 | 0x00100000, 0)) : t4) : t7;
}
//@ __double_rnorm4d
__device__ inline double __double_rnorm4d(double x, double y, double z, double w)
{
    const double size = fabs(x);
    const double a = fabs(y);
    const double b = fabs(z);
    const double c = fabs(w);
    const double d = ((size + a) + b) + c;
    const double e = fmax(size, a);
    const double f = fmax(e, b);
    const double g = fmax(f, c);
    const double h = __hiloint2double(0x7fd00000 - (__double2hiint(g) & (int)0xffc00000u), 0);
    const double k = fmin(f, c) * h;
    const double m = fmin(e, b) * h;
    const double p = fmin(size, a) * h;
    const double q = g * h;
    const double r = fma(q, q, fma(p, p, fma(m, m, k * k)));
    const double s = __drsqrt_ftz(r);
    const double t = fma(r, -__dmul_rn(s, s), 1.0);
    return (g == __longlong_as_double(0x7ff0000000000000ll)) ? 0.0 : ((d > 0.0) ? (h * fma(fma(0.375, t, 0.5), __dmul_rn(t, s), s)) : (d + __longlong_as_double(0x7ff0000000000000ll)));
}
//@ __double_ldexp
__device__ inline double __double_ldexp(double x, int n)
{
    const int a = max(min(n, 2099), -2099);
    const int b = a + 4092;
    const int c = (int)((unsigned)b >> 2);
    const bool d = abs(a) < 217;
    const double e = __hiloint2double(d ? 0x3ff00000 : (c << 20), 0);
    return __dmul_rn(__dmul_rn(__dmul_rn(__dmul_rn(x, __hiloint2double((d ? (a + 1023) : (c * (-3) + b)) << 20, 0)), e), e), e);
}
//@ __double_scalbn: __double_ldexp
__device__ inline double __double_scalbn(double x, int n) { return __double_ldexp(x, n); }
//@ __double_scalbln: __double_ldexp
__device__ inline double __double_scalbln(double x, long n) { return __double_ldexp(x, (int)min(max(n, -2147483647l), 2147483647l)); }
//@ __double_frexp
__device__ inline double __double_frexp(double x, int* to)
{
    int a, b;
    double result;
    a = __double2hiint(x) & 0x7ff00000;
    if (a == 0) {
        x = __dmul_rn(x, 1.8014398509481984e16);
        a = (__double2hiint(x) & 0x7ff00000) - 0x03600000;
    }
    if ((x == 0.0) || (a > 0x7fefffff)) {
        result = x + x;
        b = 0;
    } else {
        result = __longlong_as_double((__double_as_longlong(x) & ((long long)0x800fffffffffffffull)) | 0x3fe0000000000000ll);
        b = (a - 0x3fe00000) >> 20;
    }
    *to = b;
    return result;
}
//@ __double_modf
__device__ inline double __double_modf(double x, double* to)
{
    double result;
    const double a = trunc(x);
    *to = a;
    if (a == x) {
        result = __hiloint2double(__double2hiint(x) & (int)0x80000000u, 0);
    } else {
        result = x - a;
    }
    return result;
}
//@ __double_sincospi
__device__ inline void __double_sincospi(double x, double* sine, double* cosine)
{
    int a;
    double b, c;
    a = __double2hiint(x);
    if (!((unsigned)(a << 1) < 0x86800001u)) {
        x = __dmul_rn(x, 0.0);
        a = __double2hiint(x);
    }
    const double d = rint(__hiloint2double(a + 0x00100000, __double2loint(x)));
    const long long e = __double2ll_rz(d);
    const double f = fma(-d, 0.5, x);
    const double g = fma(f, 3.141592653589793, f * 1.2246467991473532e-16);
    const double h = __dmul_rn(g, g);
    b = fma(fma(fma(fma(fma(fma(fma(-1.1367817304626284e-11, h, 2.08758833785978e-09), h, -2.7557315542999557e-07), h, 2.4801587293618683e-05), h, -0.0013888888888880667), h, 0.04166666666666664), h, -0.5), h, 1.0);
    c = fma(fma(fma(fma(fma(fma(fma(1.5903078570611027e-10, h, -2.5050911383645487e-08), h, 2.755731498463003e-06), h, -0.0001984126983447703), h, 0.008333333333329349), h, -0.16666666666666663), h, 0.0), g, g);
    if (((e & 1) == 1) != 0) {
        const int k = __double2hiint(c);
        const int m = __double2loint(c);
        c = b;
        b = __hiloint2double(k ^ (int)0x80000000u, m);
    }
    if (!((((int)e) & 2) == 0)) {
        const int p = __double2hiint(c);
        const int q = __double2loint(c);
        c = __hiloint2double(p ^ (int)0x80000000u, q);
        const int r = __double2hiint(b);
        const int s = __double2loint(b);
        b = __hiloint2double(r ^ (int)0x80000000u, s);
    }
    if (x == trunc(x))
        c = __dmul_rn(x, 0.0);
    *sine = c;
    *cosine = b + 0.0;
}
//@ __double_round
__device__ inline double __double_round(double x)
{
    return trunc(__dadd_rz(x, copysign(0.5, x)));
}
//@ __double_llround: __double_round
__device__ inline long long __double_llround(double x) { return __double2ll_rz(__double_round(x)); }
//@ __double_fdim
__device__ inline double __double_fdim(double x, double y)
{
    return (x <= y) ? 0.0 : (x - y);
}
//@ __double_lround: __double_round
__device__ inline long __double_lround(double x) { return __double2ll_rz(__double_round(x)); }
//@ __powi
__device__ inline double __powi(double x, int n)
{
    unsigned left = abs(n);
    double power = (left & 1) != 0 ? x : 1.0;
    for (left >>= 1; left != 0; left >>= 1) {
        x = __dmul_rn(x, x);
        if ((left & 1) != 0)
            power = __dmul_rn(power, x);
    }
    return n < 0 ? 1.0 / power : power;
}
//@ __double_sinpi: __angle_of_half_turns __double_sine_of
__device__ inline double __double_sinpi(double x)
{
    int quadrant;
    const double r = __angle_of_half_turns(x, &quadrant);
    const double sine = __double_sine_of(r, quadrant);
    return trunc(x) == x ? __dmul_rn(x, 0.0) : sine;
}
//@ __double_cospi: __angle_of_half_turns __double_sine_of
__device__ inline double __double_cospi(double x)
{
    // The largest numbers are all whole and even.
    if ((unsigned)(__double2hiint(x) << 1) >= 0x86800001u)
        x = __dmul_rn(x, 0.0);
    int quadrant;
    const double r = __angle_of_half_turns(x, &quadrant);
    return __double_sine_of(r, quadrant + 1);
}
