/**
 * Student's t distribution, two-sided: what a difference means when its noise is known from a few windows only.
 *
 * With t = √freedom · tan θ, the density becomes a power of cos θ. So each probability is a quotient of two areas under
 * one smooth curve, which Simpson's rule has to nine digits; no gamma function is needed. No package with it is
 * installed, and a package for thirty lines would be more to keep than they are.
 */

/** Even. */
const PANELS = 100;
/** From here on it is the normal distribution to two digits, and the curve would be too narrow for the panels. */
const MOST_FREEDOM = 200;
const RIGHT_ANGLE = Math.PI / 2;

/** How likely a value at least as far from 0 as `t` is, on either side. `freedom`: degrees of freedom, at least 1. */
export function tailOf(t: number, freedom: number): number {
  const known = Math.min(freedom, MOST_FREEDOM);
  return areaFrom(Math.atan(Math.abs(t) / Math.sqrt(known)), known) / areaFrom(0, known);
}

/** The `t` whose `tailOf` is `probability`, which is above 0 and at most 1. */
export function boundOf(probability: number, freedom: number): number {
  const known = Math.min(freedom, MOST_FREEDOM);
  const wanted = probability * areaFrom(0, known);
  let angle = 0;
  // Newton's steps from below: the area is convex, so none of them goes too far.
  for (let step = 1; step > 1e-12 && angle < RIGHT_ANGLE; angle += step) {
    step = (areaFrom(angle, known) - wanted) / Math.cos(angle) ** (known - 1);
  }
  return Math.sqrt(known) * Math.tan(angle);
}

function areaFrom(angle: number, freedom: number): number {
  const width = (RIGHT_ANGLE - angle) / PANELS;
  let sum = 0;
  for (let at = 0; at <= PANELS; at += 1) {
    const weight = at === 0 || at === PANELS ? 1 : at % 2 === 1 ? 4 : 2;
    sum += weight * Math.max(0, Math.cos(angle + at * width)) ** (freedom - 1);
  }
  return (sum * width) / 3;
}
