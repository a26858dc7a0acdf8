//! What the names of claims count. What a kernel claims is in `entry`, whether it holds the binary's to check.

use cornerturn_emulator::Counters;

/// The counted value of a claim: `None` for a name that is none, `Some(None)` where no request was made.
pub fn per_request(counters: &Counters, name: &str) -> Option<Option<f64>> {
    let c = counters;
    let (amount, requests) = match name {
        "global_load_sectors_per_request" => (c.global_load_sectors, c.global_load_requests),
        "global_store_sectors_per_request" => (c.global_store_sectors, c.global_store_requests),
        "shared_load_wavefronts_per_request" => (
            c.shared_load_wavefronts,
            c.shared_load_instructions + c.shared_matrix_load_instructions,
        ),
        "shared_store_wavefronts_per_request" => {
            (c.shared_store_wavefronts, c.shared_store_instructions)
        }
        "global_atomic_sectors_per_request" => (c.global_atom_sectors, c.global_atom_requests),
        "global_reduction_sectors_per_request" => (c.global_red_sectors, c.global_red_requests),
        "shared_atomic_wavefronts_per_request" => {
            (c.shared_atom_wavefronts, c.shared_atom_instructions)
        }
        "local_load_sectors_per_request" => (c.local_load_sectors, c.local_load_requests),
        "local_store_sectors_per_request" => (c.local_store_sectors, c.local_store_requests),
        _ => return None,
    };
    Some((requests > 0).then(|| amount as f64 / requests as f64))
}
