//! What cannot be done is refused, and nothing changes.

use crate::fractures::solids;
use fracas::brittle::{BrittleBody, BrittleError, FragmentId, Solid, SolidOptions};
use fracas::geom::DVec3;
use fracas::mesh::tets::{TetError, TetMesh, brick};
use std::sync::Arc;

#[test]
fn bad_labels_and_weights_are_refused_by_name() {
    let (_, solid) = solids().swap_remove(0);
    let mut body = BrittleBody::new(solid);
    let whole = body.fragments().next().unwrap();
    let nodes = body.fragment(whole).unwrap().nodes().len();
    let (labels, ones) = (vec![0; nodes], vec![1.0; nodes]);
    let wrong = body.split(whole, &labels[1..], &ones).unwrap_err();
    assert_eq!(wrong.to_string(), format!("{} labels for a fragment of {nodes} nodes", nodes - 1));
    let mut bad = ones.clone();
    bad[7] = 0.0;
    assert_eq!(body.split(whole, &labels, &bad), Err(BrittleError::BadWeight { node: 7, weight: 0.0 }));
    bad[7] = f64::NAN;
    assert!(matches!(body.split(whole, &labels, &bad), Err(BrittleError::BadWeight { node: 7, .. })));
    let none = FragmentId(99);
    assert_eq!(body.split(none, &labels, &ones), Err(BrittleError::NoSuchFragment { fragment: none }));
    assert_eq!(body.split(whole, &labels, &ones), Ok(vec![whole]), "one label breaks nothing");
    assert!(body.fragments().eq([whole]) && body.cut_count() == 0);
    assert_eq!(body.find_nearest(whole, DVec3::NAN, 1.0), None);
    assert_eq!(body.fragment_at(DVec3::splat(f64::INFINITY)), None);
    // A fragment that has broken is gone.
    let halves: Vec<u32> = (0..nodes as u32).map(|k| k % 2).collect();
    assert!(body.split(whole, &halves, &ones).unwrap().len() > 1);
    assert_eq!(body.fragment(whole).unwrap_err(), BrittleError::NoSuchFragment { fragment: whole });
    body.validate().unwrap();
}

#[test]
fn what_does_not_hang_together_is_several_fragments() {
    let (mut positions, mut tets) = brick(DVec3::ONE, [2, 2, 2]).into_parts();
    let (more, others) = brick(DVec3::ONE, [1, 2, 3]).into_parts();
    let first = positions.len() as u32;
    positions.push(DVec3::splat(9.0));
    positions.extend(more.iter().map(|&p| p + DVec3::new(3.0, 0.0, 0.0)));
    tets.extend(others.iter().map(|corners| corners.map(|n| n + first + 1)));
    let solid = Solid::build(TetMesh::new(positions, tets).unwrap(), &SolidOptions::default()).unwrap();
    let body = BrittleBody::new(Arc::new(solid));
    body.validate().unwrap();
    let volumes: Vec<f64> = body.fragments().map(|id| body.fragment(id).unwrap().mass().volume).collect();
    assert_eq!(volumes.len(), 2);
    assert!(volumes.iter().all(|v| (v - 1.0).abs() < 1e-12));
}

#[test]
fn solids_that_make_no_sense_are_refused() {
    let empty = Solid::build(TetMesh::default(), &SolidOptions::default()).unwrap_err();
    assert_eq!(empty, BrittleError::Mesh(TetError::Empty));
    let block = || brick(DVec3::ONE, [1, 1, 1]);
    let fine = Solid::build(block(), &SolidOptions { cell: 0.0, ..SolidOptions::default() }).unwrap_err();
    assert_eq!(fine.to_string(), "cell size 0 is out of range");
    let coarse = Solid::build(block(), &SolidOptions { grid: f64::NAN, ..SolidOptions::default() });
    assert!(matches!(coarse, Err(BrittleError::BadNumber { what: "grid spacing", .. })));
}
