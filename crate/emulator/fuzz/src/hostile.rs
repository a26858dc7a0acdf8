//! Statements without a right outcome: any address, barriers some threads do not reach, loops without an end.
//! A kernel with them may be wrong in any way; the emulator may not.

use crate::kernel::{Builder, line};
use crate::values::Class;

/// One such statement.
pub(crate) fn statement(builder: &mut Builder) {
    match builder.choices.below(12) {
        0..=3 => access(builder),
        4 => barrier(builder),
        5 => jump(builder),
        6 => together(builder),
        7 => atomic(builder),
        8 => leave(builder),
        9 => declare(builder),
        10 => table(builder),
        _ => unwritten(builder),
    }
}

/// An address: of a buffer, of shared memory, near them, or anything.
fn address(builder: &mut Builder) -> &'static str {
    let (word, long) = (builder.any(Class::Int32), builder.any(Class::Int64));
    match builder.choices.below(9) {
        0 => line!(builder, "mov.u64 %where, {long};"),
        1 => line!(builder, "cvt.u64.u32 %where, {word};"),
        2 => line!(builder, "cvt.u64.u32 %where, %own;"),
        3 => line!(builder, "cvta.shared.u64 %where, {long};"),
        4 => line!(builder, "cvta.local.u64 %where, {long};"),
        5 => line!(builder, "mad.wide.s32 %where, {word}, 4, %bins;"),
        6 => line!(builder, "mov.u64 %where, %bins;"),
        7 => {
            let rank = builder.choices.below(3);
            line!(builder, "cvt.u64.u32 %where, %own;");
            line!(builder, "cvta.shared.u64 %where, %where;");
            line!(builder, "mapa.u64 %where, %where, {rank};");
        }
        _ => line!(builder, "mov.u64 %where, %in;"),
    }
    "%where"
}

fn access(builder: &mut Builder) {
    let space = *builder
        .choices
        .pick(&["", ".global", ".shared", ".local", ".const", ".param"]);
    let (ty, parts, class) = *builder.choices.pick(&[
        ("u8", 1, Class::Int16),
        ("s16", 1, Class::Int16),
        ("b32", 1, Class::Int32),
        ("b64", 1, Class::Int64),
        ("v2.b32", 2, Class::Int32),
        ("v4.b32", 4, Class::Int32),
        ("v4.u8", 4, Class::Int16),
        ("v2.f64", 2, Class::Double),
    ]);
    let offset = *builder
        .choices
        .pick(&[0i64, 4, -4, 1, 16, 1 << 20, 2147483647, -2147483648]);
    let address = address(builder);
    let registers: Vec<String> = (0..parts).map(|_| builder.any(class)).collect();
    let list = if parts == 1 {
        registers[0].clone()
    } else {
        format!("{{{}}}", registers.join(", "))
    };
    if builder.choices.happens(128) {
        let cache = *builder.choices.pick(&["", ".volatile"]);
        line!(
            builder,
            "ld{cache}{space}.{ty} {list}, [{address}+{offset}];"
        );
    } else {
        line!(builder, "st{space}.{ty} [{address}+{offset}], {list};");
    }
}

fn barrier(builder: &mut Builder) {
    let (word, predicate) = (builder.any(Class::Int32), builder.any(Class::Pred));
    let number = builder.choices.below(17);
    let threads = *builder.choices.pick(&[32, 64, 0, 33, 1024, 4096]);
    match builder.choices.below(10) {
        0 => line!(builder, "bar.sync {number};"),
        1 => line!(builder, "bar.sync {number}, {threads};"),
        2 => line!(builder, "bar.arrive {number}, {threads};"),
        3 => line!(builder, "bar.red.popc.u32 {word}, {number}, {predicate};"),
        4 => line!(
            builder,
            "bar.red.and.pred {predicate}, {number}, !{predicate};"
        ),
        5 => line!(builder, "bar.sync {word};"),
        6 => line!(builder, "bar.sync {number}, {word};"),
        7 => line!(builder, "barrier.cluster.arrive;"),
        8 => line!(builder, "barrier.cluster.wait;"),
        _ => line!(builder, "bar.warp.sync {word};"),
    }
}

/// To a place that was or will be, out of and into branches and loops.
fn jump(builder: &mut Builder) {
    let number = builder.labels;
    builder.labels += 1;
    line!(builder, "PLACE_{number}:");
    let (predicate, to) = (builder.any(Class::Pred), builder.choices.below(number + 1));
    let name = *builder.choices.pick(&["PLACE", "END", "ELSE", "AGAIN"]);
    // A label that is not there is refused at load, which would end too many kernels too early.
    let to = if builder.body.contains(&format!("{name}_{to}:")) {
        format!("{name}_{to}")
    } else {
        format!("PLACE_{number}")
    };
    match builder.choices.below(8) {
        0 => line!(builder, "bra {to};"),
        1 => line!(builder, "@!{predicate} bra.uni {to};"),
        _ => line!(builder, "@{predicate} bra {to};"),
    }
}

/// What lanes do together, with any of them missing.
fn together(builder: &mut Builder) {
    let (word, other, mask) = (
        builder.any(Class::Int32),
        builder.any(Class::Int32),
        builder.any(Class::Int32),
    );
    let predicate = builder.any(Class::Pred);
    match builder.choices.below(8) {
        0 => line!(
            builder,
            "shfl.sync.idx.b32 {word}|{predicate}, {other}, {word}, {other}, {mask};"
        ),
        1 => line!(
            builder,
            "shfl.sync.up.b32 {word}, {other}, {mask}, {word}, -1;"
        ),
        2 => line!(builder, "vote.sync.ballot.b32 {word}, {predicate}, {mask};"),
        3 => line!(
            builder,
            "match.all.sync.b32 {word}|{predicate}, {other}, {mask};"
        ),
        4 => line!(builder, "redux.sync.add.s32 {word}, {other}, {mask};"),
        5 => line!(builder, "activemask.b32 {word};"),
        6 => line!(builder, "elect.sync {word}|{predicate}, {mask};"),
        _ => line!(builder, "match.any.sync.b32 {word}, {other}, {mask};"),
    }
}

fn atomic(builder: &mut Builder) {
    let address = address(builder);
    let space = *builder.choices.pick(&["", ".global", ".shared"]);
    let (word, other, long) = (
        builder.any(Class::Int32),
        builder.any(Class::Int32),
        builder.any(Class::Int64),
    );
    match builder.choices.below(6) {
        0 => line!(builder, "atom{space}.add.u32 {word}, [{address}], {other};"),
        1 => line!(
            builder,
            "atom{space}.cas.b32 {word}, [{address}], {other}, {word};"
        ),
        2 => line!(builder, "atom{space}.exch.b64 {long}, [{address}], {long};"),
        3 => line!(builder, "atom{space}.inc.u32 {word}, [{address}], {other};"),
        4 => line!(builder, "red{space}.max.s32 [{address}], {other};"),
        _ => line!(builder, "atom{space}.add.f32 {word}, [{address}], {other};"),
    }
}

fn leave(builder: &mut Builder) {
    let predicate = builder.any(Class::Pred);
    let how = *builder.choices.pick(&["exit", "ret", "trap", "ret.uni"]);
    line!(builder, "@{predicate} {how};");
}

/// A variable of any size.
fn declare(builder: &mut Builder) {
    let number = builder.labels;
    builder.labels += 1;
    let space = *builder.choices.pick(&["shared", "local"]);
    let bytes = *builder
        .choices
        .pick(&[4u64, 64, 65536, 232448, 1 << 31, 1 << 32, u64::MAX]);
    let align = *builder.choices.pick(&[1, 4, 16, 256]);
    let word = builder.any(Class::Int32);
    line!(
        builder,
        ".{space} .align {align} .b8 room_{number}[{bytes}];"
    );
    line!(builder, "mov.u32 {word}, room_{number};");
}

/// A jump through a table.
fn table(builder: &mut Builder) {
    let (word, number) = (builder.any(Class::Int32), builder.labels);
    builder.labels += 1;
    line!(builder, "CASE_{number}:");
    line!(
        builder,
        "targets_{number}: .branchtargets CASE_{number}, NEXT_{number};"
    );
    line!(builder, "brx.idx {word}, targets_{number};");
    line!(builder, "NEXT_{number}:");
}

/// Takes a register that nothing has written.
fn unwritten(builder: &mut Builder) {
    let class = *builder
        .choices
        .pick(&[Class::Int32, Class::Int64, Class::Pred, Class::Half]);
    let register = builder.fresh(class);
    builder.holds(class, &register);
}
