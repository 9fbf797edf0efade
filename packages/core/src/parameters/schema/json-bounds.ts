export const MAX_JSON_DEPTH = 200;
/** Limits values and names in arguments, which the host's thread copies and hashes. */
export const MAX_JSON_VALUES = 50_000;

const MAX_DOCUMENT_VALUES = 100_000;

export function checkValueCount(document: unknown): string | undefined {
  const left = [document];
  for (let count = 0; left.length > 0; count += 1) {
    if (count + left.length > MAX_DOCUMENT_VALUES)
      return `It has more than ${MAX_DOCUMENT_VALUES} values, including values of its aliases; shorten its lists.`;
    const one = left.pop();
    if (typeof one === "object" && one !== null) for (const each of Object.values(one)) left.push(each);
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function findExceededBound(
  text: string,
  mostValues = MAX_JSON_VALUES,
): "depth" | "values" | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth += 1;
        values += 1;
        if (depth > MAX_JSON_DEPTH) return "depth";
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1;
        break;
      case 0x2c: // ,
      case 0x3a: // :
        values += 1;
        break;
    }
    if (values > mostValues) return "values";
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
