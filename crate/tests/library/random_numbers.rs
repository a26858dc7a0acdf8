//! Numbers of `curand_kernel.h`, by NVIDIA's headers and by ours.

use crate::compiler_tests::random_numbers::{GENERATORS, RECORDED, digest, kernels, source};
use cornerturn::compile::{Compiler, CompilerKind};

/// Both compilers, and what was recorded, agree. `compiler/tests/random_numbers/recorded.txt` is what this prints where it differs.
#[test]
fn random_numbers_are_the_same_by_both_compilers() {
    let test = "whether random numbers are those of NVIDIA's headers";
    let header = "nvidia/cu13/include/curand_kernel.h";
    let is_there = cornerturn::paths::headers().is_ok_and(|folder| folder.join(header).is_file());
    if !crate::compiles(test) || !is_there {
        println!("without NVRTC and nvidia-curand it is not tried {test}");
        return;
    }
    let [theirs, ours] =
        [CompilerKind::Nvrtc, CompilerKind::CornerTurn].map(|kind| Compiler::of(kind).unwrap());
    let mut found = String::new();
    for (generator, state) in GENERATORS {
        let source = source(generator, state);
        let compiled =
            |compiler: &Compiler| compiler.compile_live(&source, "random.cu").unwrap().ptx;
        let (theirs, ours) = (compiled(&theirs), compiled(&ours));
        for kernel in kernels(&source) {
            let expected = digest(&theirs, kernel).unwrap();
            assert_eq!(
                digest(&ours, kernel).unwrap(),
                expected,
                "{generator} {kernel}"
            );
            found += &format!("{generator} {kernel} {expected:016x}\n");
        }
    }
    assert!(found == RECORDED, "not as recorded:\n{found}");
}
