//! Contacts: where two bodies touch or overlap, how deep, and in which direction they come apart.
//!
//! [`Finder::find_contacts`](crate::Finder::find_contacts) answers for bodies of any kind. Closed bodies have an inside, so the answer is about
//! volumes: a few contacts for each region of overlap, all with the same normal. Open surfaces have none: there a contact is a pair of features
//! within the thickness.
//!
//! ```text
//!   closed, overlapping   pairs that cross ──▶ regions (region) ──▶ direction of least depth (separate, climb) ──▶ few chords (reduce)
//!   closed, apart         features within the thickness ──▶ few of each group (reduce)
//!   open                  features within the thickness, all of them
//! ```
//!
//! # What depth means
//!
//! The depth of a region in a direction is the longest chord: from the second body's surface to the first's, along the direction, through the
//! region. It is the least distance by which the second body must move in this direction to leave the region. The direction reported is the
//! one of least depth, with two exceptions that keep it steady:
//!
//! - Round and bumpy bodies have many directions that are nearly as good. The direction is turned towards the region's area vector
//!   (`region`), which changes slowly, until the depth has grown by 2 %. Faces that lie flat on each other are exempt.
//! - If directions on all sides of the area vector are equally good within 2 %, as for two edges that meet head-on, their mean is reported.
//!
//! This depends on the shapes alone, not on how faces are divided into triangles. A small motion changes the depth little. The direction
//! jumps only where another one has become as good.
//!
//! In most shallow contacts the search proves its answer by a lower bound. Between concave bodies that are deep inside each other it
//! tries about fifty directions, continues from the best, and may miss the least depth. The depth reported is still that of the direction
//! reported.
//!
//! # Invariants
//!
//! A contact's points differ by `depth * normal`. Normals of one region are equal, and its deepest contact has the depth of the region. Swapping the
//! bodies turns normals round. Answers are the same at any number of threads.
//!
//! # Departures from the paper
//!
//! Heidelberger and others propagate depths from the intersection contour inwards over the vertices of the mesh. So a cube of twelve triangles
//! has few depths to propagate, and a direction is a mean of face normals: cubes with 0.4 of overlap along x come apart at 30° to it. We keep the
//! contour as the source of the first direction: the integral of the normal over the surface inside, which the contour determines. From
//! there on the depth is minimised over directions, with exact maxima over chords instead of values at vertices.
//!
//! # When to use something else
//!
//! Exact pairs of triangles: `find_pairs`. All features within a distance, with weights: `find_near`. Fragments of brittle bodies in an
//! engine, hundreds at a time: [`brittle::ContactFinder`](crate::brittle::ContactFinder).
//!
//! # Reference
//!
//! B. Heidelberger, M. Teschner, R. Keiser, M. Müller, M. Gross, *Consistent penetration depth estimation for deformable collision response*,
//! Vision, Modeling and Visualization, 2004. Y. J. Kim, M. C. Lin, D. Manocha, *DEEP: dual-space expansion for estimating penetration
//! depth between convex polytopes*, ICRA 2002.

mod climb;
mod line;
mod reduce;
mod region;
mod separate;
mod surface;

pub(crate) use self::reduce::spread_out;
pub(crate) use self::region::{Bodies, find_regions};
use self::separate::Search;
pub(crate) use self::surface::Surface;
use crate::geom::DVec3;
use crate::mesh::TriangleId;
use crate::pairs::{Features, Pair};

/// Where two bodies touch or overlap.
///
/// ```
/// use fracas::{Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
/// let cube = MeshTree::build(shapes::cuboid(DVec3::ONE));
/// let beside = Pose::from_translation(DVec3::new(0.6, 0.03, 0.02)).unwrap();
/// let mut finder = Finder::default();
/// let contact = finder.find_contacts(&cube, cube.at(&beside)).unwrap()[0];
/// assert!((contact.depth - 0.4).abs() < 1e-9);
/// assert!(contact.normal.distance(DVec3::X) < 1e-9);
/// assert!((contact.points[0] - contact.points[1]).distance(contact.depth * contact.normal) < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// A point on the surface of the first body, and one on that of the second.
    pub points: [DVec3; 2],
    /// Unit vector from the first body to the second: the direction in which the second has to move.
    pub normal: DVec3,
    /// By how much the bodies overlap here along the normal; negative if they are apart. With a thickness, it is added.
    pub depth: f64,
    /// What touches.
    pub between: ContactParts,
    /// Contacts of one region of overlap have the same number. Regions are numbered from 0 on, the deepest first.
    pub region: u32,
}

/// What touches in a contact.
///
/// ```
/// use fracas::{ContactParts, Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
/// let cube = MeshTree::build(shapes::cuboid(DVec3::ONE));
/// let above = Pose::from_translation(DVec3::new(0.1, 0.2, 0.9)).unwrap();
/// let mut finder = Finder::default();
/// let contacts = finder.find_contacts(&cube, cube.at(&above)).unwrap();
/// let ContactParts::Triangles(lower, upper) = contacts[0].between else { panic!("closed bodies") };
/// assert!(cube.view().triangle(lower).centroid().z == 0.5 && cube.view().triangle(upper).centroid().z == -0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactParts {
    /// The triangles on which the two points lie: closed bodies that overlap.
    Triangles(TriangleId, TriangleId),
    /// A vertex and a triangle, or two edges, within the thickness.
    Features(Features),
    /// A point of a fragment's sphere tree, by its place there, and the other body's surface: contacts of brittle bodies.
    Sample {
        /// The point's place in the sphere tree.
        index: u32,
        /// Whether the point belongs to the second body.
        is_of_second: bool,
    },
}

/// How contacts are found.
///
/// ```
/// use fracas::{ContactOptions, Finder, MeshTree, geom::{DVec3, Pose}, mesh::shapes};
/// let cloth = MeshTree::build(shapes::cloth_grid(4, 4, [1.0, 1.0]));
/// let ball = MeshTree::build(shapes::icosphere(0.5, 3));
/// let below = Pose::from_translation(DVec3::Z * -0.504).unwrap();
/// let options = ContactOptions { thickness: 0.01, ..ContactOptions::default() };
/// let mut finder = Finder::default();
/// let contacts = finder.find_contacts_with(&cloth, ball.at(&below), &options).unwrap();
/// assert!(contacts.iter().all(|contact| contact.depth <= 0.01 && contact.normal.z < -0.9));
/// assert!(!contacts.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactOptions {
    /// How far apart surfaces may be to be in contact, in units of length; 0 or more. It is added to every depth. Open surfaces need a
    /// thickness greater than 0. Default: 0.
    pub thickness: f64,
    /// The most contacts of one region of closed bodies; at least one is reported. Default: 4.
    pub max_per_region: usize,
}

impl Default for ContactOptions {
    fn default() -> Self {
        Self { thickness: 0.0, max_per_region: 4 }
    }
}

/// Why contacts cannot be found.
///
/// ```
/// use fracas::{ContactError, Finder, MeshTree, mesh::shapes};
/// let cloth = MeshTree::build(shapes::cloth_grid(4, 4, [1.0, 1.0]));
/// let ball = MeshTree::build(shapes::icosphere(0.5, 3));
/// let error = Finder::default().find_contacts(&cloth, &ball).unwrap_err();
/// assert!(matches!(error, ContactError::Open { body: 0, .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// A body is not closed, and there is no thickness.
    #[error(
        "body {body} is open: an odd number of triangles share the edge between its vertices {} and {}; only closed \
         bodies overlap, for others give a thickness greater than 0",
        edge[0], edge[1]
    )]
    Open {
        /// 0 for the first body, 1 for the second.
        body: usize,
        /// The vertices of an edge that an odd number of triangles share.
        edge: [u32; 2],
    },
    /// The thickness is negative or not a finite number.
    #[error("the thickness is {0}; it must be a finite number of at least 0")]
    Thickness(f64),
}

/// Contacts of closed bodies that overlap: of each region, the deepest first. Regions with a depth of at most `least` are left out.
pub(crate) fn overlap_contacts(
    bodies: &Bodies,
    pairs: &[Pair],
    most: usize,
    least: f64,
    out: &mut Vec<Contact>,
) {
    let mut found: Vec<(f64, Vec<Contact>)> = vec![];
    for region in find_regions(bodies, pairs) {
        let Some(mut search) = Search::new(bodies, &region, 2 * most.min(1000)) else { continue };
        let Some(way) = search.find(&region) else { continue };
        if way.chord.depth <= least {
            continue;
        }
        let mut chords = vec![way.chord];
        chords.extend(search.chords(way.direction).into_iter().filter(|chord| chord.depth > 0.0));
        let contacts: Vec<Contact> = chords
            .iter()
            .map(|chord| {
                let id = |body: usize| bodies.surfaces[body].id(chord.triangles[body]);
                let between = ContactParts::Triangles(id(0), id(1));
                Contact {
                    points: chord.points,
                    normal: way.direction,
                    depth: chord.depth,
                    between,
                    region: 0,
                }
            })
            .collect();
        found.push((way.chord.depth, spread_out(&contacts, most)));
    }
    // Stable: regions of equal depth stay in the order of their triangles.
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    for (region, (_, contacts)) in found.into_iter().enumerate() {
        out.extend(contacts.into_iter().map(|contact| Contact { region: region as u32, ..contact }));
    }
}
