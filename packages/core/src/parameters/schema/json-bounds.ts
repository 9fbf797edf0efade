/** Levels of objects and lists in the arguments of a call, one inside the other. */
export const MOST_DEPTH = 200;
/** Values and names in the arguments of a call: each is copied, compared and hashed on the thread of the host. */
export const MOST_VALUES = 50_000;

/** Values in a document of settings or rules: a list that is used in many places counts in each. */
const MOST_IN_DOCUMENT = 100_000;

/** What to say of a document that has more values than anybody needs; `undefined` of others. */
export function tooManyValues(document: unknown): string | undefined {
  const left = [document];
  for (let count = 0; left.length > 0; count += 1) {
    if (count + left.length > MOST_IN_DOCUMENT)
      return `It has more than ${MOST_IN_DOCUMENT} values, with those that its aliases stand for; shorten its lists.`;
    const one = left.pop();
    if (typeof one === "object" && one !== null) for (const each of Object.values(one)) left.push(each);
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Which bound a JSON text exceeds, found in linear time before it is parsed. */
export function exceededBound(text: string, mostValues = MOST_VALUES): "depth" | "values" | undefined {
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
        if (depth > MOST_DEPTH) return "depth";
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
