// Powers as tool code computes them. V8 asks a library of the machine, whose last bit depends on the line of Node.js and on the processor:
// of everyday powers one in thirteen differs between Node 20 and 24. Here they are made of additions, products, quotients and square roots
// alone, which every machine rounds alike (docs/decisions/023). Runs inside a new vm context (realm-script.ts), so it names nothing but
// itself and ECMAScript.
//   POWER-1. A power is the same on every machine, and the nearest number to what it would be exactly, but for a chance of one in 2^40.
// Numbers are pairs here, the first the sum rounded and the second what that left out: some 104 bits.

/** For `Math.pow`, and for `**`, which the compiler makes a call of it (compiler/behavior-bundle.ts): there also of two BigInts. */
export function pow(base: unknown, exponent: unknown): unknown {
  if (typeof base === 'bigint' || typeof exponent === 'bigint') return (base as bigint) ** (exponent as bigint);
  return power(Number(base), Number(exponent));
}

type Pair = readonly [high: number, low: number];

export function power(base: number, exponent: number): number {
  if (exponent === 0) return 1;
  if (Number.isNaN(base) || Number.isNaN(exponent)) return Number.NaN;
  const size = Math.abs(base);
  if (size === 1 && !Number.isFinite(exponent)) return Number.NaN;
  const isWhole = Number.isInteger(exponent);
  const isOdd = isWhole && Math.abs(exponent % 2) === 1;
  const isNegative = base < 0 || Object.is(base, -0);
  if (size === 0 || size === 1 || !Number.isFinite(size) || !Number.isFinite(exponent)) {
    if (base === -1 && !isWhole) return Number.NaN;
    const limit = size === 1 ? 1 : size > 1 === exponent > 0 ? Number.POSITIVE_INFINITY : 0;
    return isNegative && isOdd ? -limit : limit;
  }
  if (base < 0 && !isWhole) return Number.NaN;
  if (exponent === 0.5) return Math.sqrt(base);
  const found = exponent === 1 ? size : sizeOfPower(size, exponent);
  return isNegative && isOdd ? -found : found;
}

/** Of a positive number. */
function sizeOfPower(base: number, exponent: number): number {
  const [mantissa, scale] = splitScale(base);
  const steps = Math.abs(exponent);
  // What lies in the middle of two numbers has 54 bits, so no more factors; and their product is exact.
  if (Number.isInteger(steps) && steps <= 54) {
    const product = wholePower([mantissa, 0], steps);
    return scaled(exponent < 0 ? quotient([1, 0], product) : product, scale * exponent);
  }
  const log = sum(product(ln2, [scale, 0]), logOf(mantissa));
  // The halves of a factor as large as these would be infinite.
  if (log[0] * exponent > 710) return Number.POSITIVE_INFINITY;
  if (log[0] * exponent < -746) return 0;
  const wanted = product(log, [exponent, 0]);
  const halvings = Math.round(wanted[0] / ln2[0]);
  return scaled(exponentialOf(difference(wanted, product(ln2, [halvings, 0]))), halvings);
}

/** A number as one between the square roots of 1/2 and 2, times a power of two. */
function splitScale(value: number): [mantissa: number, scale: number] {
  let mantissa = value;
  let scale = 0;
  for (const step of [512, 256, 128, 64, 32, 16, 8, 4, 2, 1]) {
    const factor = twoTo(step);
    while (mantissa >= factor) [mantissa, scale] = [mantissa / factor, scale + step];
    while (mantissa < 1 && mantissa * factor < 2) [mantissa, scale] = [mantissa * factor, scale - step];
  }
  return mantissa > Math.SQRT2 ? [mantissa / 2, scale + 1] : [mantissa, scale];
}

/** Exact. From -1022 to 1023. */
function twoTo(scale: number): number {
  let result = 1;
  for (let left = Math.abs(scale), factor = scale < 0 ? 0.5 : 2; left > 0; left = Math.floor(left / 2), factor *= factor)
    if (left % 2 === 1) result *= factor;
  return result;
}

/** The number nearest to a pair times a power of two. */
function scaled(value: Pair, scale: number): number {
  const [mantissa, more] = splitScale(value[0]);
  const all = scale + more;
  if (all > 1100) return Number.POSITIVE_INFINITY;
  if (all < -1100) return 0;
  if (all > -1021) {
    const half = Math.floor(all / 2);
    return mantissa * twoTo(half) * twoTo(all - half);
  }
  // Of the smallest numbers there is one for each multiple of 2^-1074: it is rounded once, here.
  const low = value[1] / (value[0] / mantissa);
  const shift = twoTo(all + 1074 < 0 ? 0 : all + 1074);
  const factor = all + 1074 < 0 ? twoTo(all + 1074) : shift;
  const [high, rest] = [mantissa * factor, low * factor];
  const floor = Math.floor(high);
  const above = high - floor - 0.5;
  const isUp = above !== 0 ? above > 0 || (above === 0 && rest > 0) : rest > 0 || (rest === 0 && floor % 2 === 1);
  return (floor + (isUp ? 1 : 0)) * twoTo(-537) * twoTo(-537);
}

/** By the series of the inverse hyperbolic tangent. */
function logOf(mantissa: number): Pair {
  const ratio = quotient([mantissa - 1, 0], twoSum(mantissa, 1));
  const square = product(ratio, ratio);
  let series: Pair = [0, 0];
  for (let odd = logTerms; odd >= 1; odd -= 2) series = sum(product(series, square), quotient([1, 0], [odd, 0]));
  const half = product(series, ratio);
  return [2 * half[0], 2 * half[1]];
}
/** 0.0295 to the 23rd, the square of the largest ratio, is below 2^-112. */
const logTerms = 45;

/** Of at most 0.35: by its own series. */
function exponentialOf(value: Pair): Pair {
  let series: Pair = [1, 0];
  for (let term = exponentialTerms; term >= 1; term--) series = sum([1, 0], quotient(product(series, value), [term, 0]));
  return series;
}
/** 0.35 to the 26th over 26! is below 2^-120. */
const exponentialTerms = 26;

const ln2: Pair = [Math.LN2, 2.3190468138462996e-17];

function wholePower(base: Pair, exponent: number): Pair {
  let result: Pair = [1, 0];
  for (let left = exponent, factor = base; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = product(result, factor);
    if (left > 1) factor = product(factor, factor);
  }
  return result;
}

/** Exact. */
function twoSum(left: number, right: number): Pair {
  const high = left + right;
  const shown = high - left;
  return [high, left - (high - shown) + (right - shown)];
}
/** Exact where the first is the larger one. */
function quickSum(left: number, right: number): Pair {
  const high = left + right;
  return [high, right - (high - left)];
}
/** Exact: each factor in two halves of 26 bits. */
function twoProduct(left: number, right: number): Pair {
  const high = left * right;
  const [leftHigh, leftLow] = halves(left);
  const [rightHigh, rightLow] = halves(right);
  return [high, leftHigh * rightHigh - high + leftHigh * rightLow + leftLow * rightHigh + leftLow * rightLow];
}
function halves(value: number): Pair {
  const wide = 134217729 * value;
  const high = wide - (wide - value);
  return [high, value - high];
}
function sum(left: Pair, right: Pair): Pair {
  const [high, low] = twoSum(left[0], right[0]);
  const [lowHigh, lowLow] = twoSum(left[1], right[1]);
  const [first, second] = quickSum(high, low + lowHigh);
  return quickSum(first, second + lowLow);
}
function difference(left: Pair, right: Pair): Pair {
  return sum(left, [-right[0], -right[1]]);
}
function product(left: Pair, right: Pair): Pair {
  const [high, low] = twoProduct(left[0], right[0]);
  return quickSum(high, low + (left[0] * right[1] + left[1] * right[0]));
}
function quotient(left: Pair, right: Pair): Pair {
  const first = left[0] / right[0];
  const rest = difference(left, product(right, [first, 0]));
  const second = rest[0] / right[0];
  const last = difference(rest, product(right, [second, 0]))[0] / right[0];
  const [high, low] = quickSum(first, second);
  return quickSum(high, low + last);
}
