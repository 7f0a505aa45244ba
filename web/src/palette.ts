// Colours of bodies and charts. Those of interface elements are in the style sheet.

/** Fragments take these in turn. */
export const FRAGMENTS = ["#7f9fc6", "#dcb67c", "#86b08f", "#cf8a6c", "#a58fc0", "#62a8a8", "#d49aa8", "#b5ab69", "#93a0b0", "#c7a07a"];
/** All fragments alike. */
export const PLAIN = "#a9b4c2";
export const CRACK = "#f1e7d0";
export const COLLIDING = "#e2231a";
export const CONTACT = "#f59e0b";
export const BOX = "#0f8a7e";
export const BOX_DARK = "#5fd6c6";

/** Series of charts, after Okabe and Ito. */
export const SERIES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a8f98", "#b8a800"];
