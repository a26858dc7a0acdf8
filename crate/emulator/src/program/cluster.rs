//! The clusters that an entry asks for, those of a launch, and what is wrong with them. How their blocks run is `run`'s.

/// The clusters that an entry asks for. PTX ISA section "Cluster Dimension Directives".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ClusterTerms {
    /// Blocks of a cluster in x, y, z, if no others will do.
    pub(crate) blocks: Option<[u32; 3]>,
    /// The most blocks of a cluster.
    pub(crate) most: Option<u32>,
    /// It may only be launched in clusters.
    pub(crate) is_needed: bool,
}

/// Clusters of a launch. PTX ISA section "Cluster of Cooperative Thread Arrays".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// Blocks of a cluster in x, y, z.
    pub blocks: [u32; 3],
    /// It may have up to 16 blocks, which not every GPU can run; otherwise 8.
    pub is_non_portable: bool,
}

impl Cluster {
    /// Clusters of so many blocks, 8 at most.
    pub fn of(blocks: [u32; 3]) -> Self {
        Self {
            blocks,
            is_non_portable: false,
        }
    }

    /// The same, 16 at most.
    pub fn non_portable(self) -> Self {
        Self {
            is_non_portable: true,
            ..self
        }
    }
}

/// CUDA C++ Programming Guide, "Thread Block Clusters": blocks of a cluster, everywhere and where the kernel is allowed
/// more.
const PORTABLE_CLUSTER_BLOCKS: u32 = 8;
const MOST_CLUSTER_BLOCKS: u32 = 16;

/// What is wrong with the clusters of a launch of so many blocks, if it has any: in words.
pub(crate) fn cluster_misfit(
    terms: &ClusterTerms,
    grid: [u32; 3],
    asked: Option<Cluster>,
) -> Option<String> {
    let found = asked.map(|cluster| cluster.blocks).or(terms.blocks);
    let Some(found) = found else {
        let what = "the kernel can only be launched in clusters (`.explicitcluster`): say of how many blocks";
        return terms.is_needed.then(|| what.to_string());
    };
    let text = |[x, y, z]: [u32; 3]| format!("{x} × {y} × {z}");
    if let Some(required) = terms.blocks.filter(|required| *required != found) {
        return Some(format!(
            "the kernel is compiled for clusters of {} blocks (`__cluster_dims__`), and the launch asks for {}",
            text(required),
            text(found)
        ));
    }
    let blocks = found
        .iter()
        .fold(1, |all: u32, one| all.saturating_mul(*one));
    let most = match asked {
        Some(Cluster {
            is_non_portable: true,
            ..
        }) => MOST_CLUSTER_BLOCKS,
        _ => PORTABLE_CLUSTER_BLOCKS,
    };
    if blocks > most {
        let more = match most {
            MOST_CLUSTER_BLOCKS => "",
            _ => "; up to 16 go where the launch allows a cluster size that is not portable",
        };
        return Some(format!(
            "a cluster has at most {most} blocks, and this launch asks for {blocks}{more}"
        ));
    }
    if let Some(limit) = terms.most.filter(|limit| blocks > *limit) {
        return Some(format!(
            "the kernel is compiled for clusters of at most {limit} blocks (`.maxclusterrank`), and this launch asks for {blocks}"
        ));
    }
    let mut axes = ["x", "y", "z"].iter().zip(found).zip(grid);
    let ((axis, size), grid) =
        axes.find(|((_, size), grid)| *size == 0 || !grid.is_multiple_of(*size))?;
    Some(format!(
        "the grid has {grid} blocks in {axis}, which is no multiple of the cluster's {size}: launch more blocks, and let \
         those without work come to the cluster's barriers all the same"
    ))
}
