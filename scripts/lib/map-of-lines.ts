const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Bits of a digit, and the one that says that more follow. */
const BITS = 5;
const MORE = 1 << BITS;

/**
 * The mappings of a source map that knows the source of each line, and not of each word in it: a third as long. Of code that was not
 * made small, where a line is a statement or less.
 *
 * @param mappings as they stand in the map: https://tc39.es/ecma426/
 */
export function mappingsOfLines(mappings: string): string {
  // Source, line and column: each is told as the distance from the one told before, in whichever line.
  const now = [0, 0, 0];
  let told = [0, 0, 0];
  const firstOf = (line: string) => {
    let first = "";
    for (const segment of line.split(",")) {
      const [column, ...distances] = numbersIn(segment);
      if (column === undefined || distances.length < now.length) continue;
      for (const place of now.keys()) now[place]! += distances[place]!;
      if (first !== "") continue;
      first = [column, ...now.map((value, place) => value - told[place]!)].map(digitsOf).join("");
      told = [...now];
    }
    return first;
  };
  return mappings.split(";").map(firstOf).join(";");
}

function numbersIn(digits: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of digits) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & (MORE - 1)) << shift;
    shift += BITS;
    if ((bits & MORE) !== 0) continue;
    numbers.push((value & 1) === 0 ? value >> 1 : -(value >> 1));
    value = 0;
    shift = 0;
  }
  return numbers;
}

function digitsOf(number: number): string {
  let digits = "";
  let left = number < 0 ? (-number << 1) | 1 : number << 1;
  do {
    const bits = left & (MORE - 1);
    left >>>= BITS;
    digits += DIGITS[left > 0 ? bits | MORE : bits];
  } while (left > 0);
  return digits;
}
