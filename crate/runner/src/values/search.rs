//! What the kept search for the fastest transpose found.

use super::words::Words;
use anyhow::Context;
use cornerturn::tuning::{Factor, Found, Hints, Order, Variant};
use cornerturn::{ElementType, Tuning};

/// Hands the search of a shape, the first argument, to a question; the options come from the index `options` on.
fn ask(
    words: &Words,
    options: usize,
    question: impl FnOnce(&Found) -> anyhow::Result<f64>,
) -> anyhow::Result<f64> {
    let (matrices, options) = (words.matrices(0)?, words.options(options)?);
    let tuning = Tuning::load(options.device)?;
    let element = options.element.unwrap_or(ElementType::F32);
    let found = tuning.search(element, matrices.shape.rows, matrices.shape.columns)?;
    question(&found)
}

/// The bandwidth of the best variant.
pub fn tuned(words: &Words) -> anyhow::Result<f64> {
    ask(words, 1, |found| {
        let rate = found.best().and_then(|best| best.rate());
        rate.context("no variant of this search was timed")
    })
}

/// The bandwidth of the driver's copy in the same search.
pub fn copy(words: &Words) -> anyhow::Result<f64> {
    ask(words, 1, |found| {
        found
            .search
            .reference_rate()
            .context("the copy was not timed in this search")
    })
}

/// The variant from which the chapter on the limit changes one thing at a time: the committed kernel's, with hints.
const FROM: Variant = Variant {
    tile: [64, 64],
    loads: 4,
    order: Order::AlongOut,
    hints: Hints::Keep,
};

/// How far apart the values of one factor are, all else as in [`FROM`]: shares of the copy.
pub fn span(words: &Words) -> anyhow::Result<f64> {
    let factor = match words.word(1)? {
        "order" => Factor::Order,
        "tile" => Factor::Tile,
        "loads" => Factor::Loads,
        "hints" => Factor::Hints,
        other => {
            return Err(words.wrong(format_args!(
                "`{other}` is no factor; there are order, tile, loads and hints"
            )));
        }
    };
    ask(words, 2, |found| {
        let alone = found.alone(&FROM, factor);
        let shares = alone.iter().filter_map(|tried| found.percent(tried));
        let ends = shares.fold(None, |ends: Option<(f64, f64)>, share| {
            let (least, most) = ends.unwrap_or((share, share));
            Some((least.min(share), most.max(share)))
        });
        let (least, most) = ends.context("no variant of this factor was timed")?;
        Ok((most - least) / 100.0)
    })
}

/// One variant's share of the copy.
pub fn share(words: &Words) -> anyhow::Result<f64> {
    let variant = variant(words)?;
    ask(words, 5, |found| {
        let tried = found.timed.iter().find(|tried| tried.variant == variant);
        let percent = tried.and_then(|tried| found.percent(tried));
        Ok(percent.with_context(|| format!("this search did not time {variant}"))? / 100.0)
    })
}

/// The variant that the second to the fifth argument name.
fn variant(words: &Words) -> anyhow::Result<Variant> {
    let tile = words.matrices(1)?.shape;
    let [rows, columns] =
        [tile.rows, tile.columns].map(|side| u32::try_from(side).unwrap_or(u32::MAX));
    let loads = words.word(2)?.parse::<u32>();
    let order = match words.word(3)? {
        "along_out" => Order::AlongOut,
        "halves" => Order::Halves,
        "along_in" => Order::AlongIn,
        other => match other
            .strip_prefix("squares_")
            .and_then(|tiles| tiles.parse().ok())
        {
            Some(tiles) => Order::Squares(tiles),
            None => {
                return Err(words.wrong(format_args!(
                    "`{other}` is no order; there are along_out, halves, along_in, squares_8 and so on"
                )));
            }
        },
    };
    let hints = match words.word(4)? {
        "none" => Hints::None,
        "stream_stores" => Hints::StreamStores,
        "stream" => Hints::Stream,
        "keep" => Hints::Keep,
        other => {
            return Err(words.wrong(format_args!(
                "`{other}` are no hints; there are none, stream_stores, stream and keep"
            )));
        }
    };
    Ok(Variant {
        tile: [rows, columns],
        loads: loads.map_err(|_| words.wrong("the loads are a number"))?,
        order,
        hints,
    })
}

/// How many variants the search has, those that no device can have included.
pub fn variants(words: &Words) -> anyhow::Result<f64> {
    ask(words, 1, |found| {
        Ok((found.timed.len() + found.refused.len()) as f64)
    })
}

/// How many took part in the last round.
pub fn finalists(words: &Words) -> anyhow::Result<f64> {
    ask(words, 1, |found| {
        let last = found.timed.iter().map(|tried| tried.rounds).max();
        Ok(found
            .timed
            .iter()
            .filter(|tried| Some(tried.rounds) == last)
            .count() as f64)
    })
}
