//! What the papers report of their scenes, to be set beside ours. Their machines were those of their time.

use fracas_frames::Reported;

/// The figures for a scene of some size; none for most.
///
/// ```
/// assert_eq!(fracas_cli::scene::paper::reported("apple", "paper")[0].value, 2.3);
/// assert!(fracas_cli::scene::paper::reported("nbody", "paper").is_empty());
/// ```
#[must_use]
pub fn reported(scene: &str, size: &str) -> Vec<Reported> {
    let figure = |column: &str, label: &str, value: f64| Reported {
        column: column.to_owned(),
        label: format!("Otaduy et al. 2007: {label}"),
        value,
    };
    match (scene, size) {
        // Table 1.
        ("triceratops", "small") => vec![figure("edit", "restructuring, mean", 6.78)],
        ("triceratops", "paper") => vec![figure("edit", "restructuring, mean", 25.68)],
        ("triceratops", "large") => vec![figure("edit", "restructuring, mean", 100.74)],
        // Sections 5.3 and 5.4.
        ("apple", "paper") => vec![
            figure("q", "rebuilt above", 2.3),
            figure("query", "self-query, mean", 142.8),
            figure("triangles", "at the end", 11_152.0),
        ],
        ("pumpkin", "paper") => {
            vec![figure("query", "query, mean", 23.7), figure("triangles", "in eight pieces", 16_136.0)]
        }
        // Figure of the exploding dragon, of 252,000 triangles, on a GTX 1080.
        ("statue", "paper") => vec![Reported {
            column: "query".to_owned(),
            label: "Weller et al. 2017, dragon on a GTX 1080".to_owned(),
            value: 9.3,
        }],
        _ => Vec::new(),
    }
}
