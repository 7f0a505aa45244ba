//! What the papers report of their scenes, to be set beside ours. Their machines were those of their time.

use fracas_frames::Reported;

/// The figures for a scene of some size; none for most.
///
/// ```
/// assert_eq!(fracas_scenes::reported::reported("apple", "paper")[0].value, 2.3);
/// assert!(fracas_scenes::reported::reported("nbody", "paper").is_empty());
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
        _ => brittle(scene, size),
    }
}

/// Tables 2 and 3 of Glondu et al. 2012: means, and for what happens seldom the most. Milliseconds of an Intel i7-2600 at 3.4 GHz, one core.
fn brittle(scene: &str, size: &str) -> Vec<Reported> {
    let ([collision, physics, update, fracture], [contacts, pieces]) = match (scene, size) {
        ("piggybank", "paper") => ([1.74, 0.14, 1.2, 12.5], [93.0, 14.0]),
        ("blobs", "paper") => ([23.0, 1.3, 4.4, 22.0], [1235.0, 166.0]),
        ("bricks", "paper") => ([10.7, 1.0, 1.05, 2.0], [671.0, 156.0]),
        ("plates", "paper") => ([6.78, 0.36, 0.7, 8.0], [309.0, 44.0]),
        ("handful", "paper") => ([1.64, 0.26, 1.0, 9.0], [326.0, 22.0]),
        _ => return Vec::new(),
    };
    let figure = |column: &str, label: &str, value: f64| Reported {
        column: column.to_owned(),
        label: format!("Glondu et al. 2012: {label}"),
        value,
    };
    vec![
        figure("collision", "collision detection, mean", collision),
        figure("physics", "physics, mean", physics),
        figure("update", "update, most", update),
        figure("fracture", "fracture, most", fracture),
        figure("contacts", "contacts, mean", contacts),
        figure("pieces", "fragments, at the end", pieces),
    ]
}
