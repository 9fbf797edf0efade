/**
 * What a pattern means, by the book and without a thought for speed: each sign tries all it could stand for.
 * Of braces it knows those with a comma.
 */
export function matchesReference(pattern: string, path: string): boolean {
  return alternatives(pattern).some((each) => matchNames(each.split("/"), path.split("/")));
}

function alternatives(pattern: string): string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (!found) return [pattern];
  const [whole, list = ""] = found;
  return list
    .split(",")
    .flatMap((each) =>
      alternatives(pattern.slice(0, found.index) + each + pattern.slice(found.index + whole.length)),
    );
}

function matchNames(parts: readonly string[], names: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return names.length === 0;
  if (part === "**") return names.concat("").some((_, count) => matchNames(rest, names.slice(count)));
  return names.length > 0 && matchName(part, names[0]!) && matchNames(rest, names.slice(1));
}

function matchName(part: string, name: string): boolean {
  const [sign = "", ...rest] = part.match(/\\.|\[[!^]?[^\]]+\]|./gsu) ?? [];
  const [first = "", ...others] = name;
  if (sign === "") return name === "";
  if (sign === "*")
    return matchName(rest.join(""), name) || (name !== "" && matchName(part, others.join("")));
  return name !== "" && matchOne(sign, first) && matchName(rest.join(""), others.join(""));
}

function matchOne(sign: string, character: string): boolean {
  if (sign === "?") return true;
  if (!sign.startsWith("[") || sign.length === 1) return sign.replace(/^\\/s, "") === character;
  const negated = /^\[[!^]/.test(sign);
  const members = sign.slice(negated ? 2 : 1, -1).match(/.-.|./gsu) ?? [];
  const isMember = members.some((each) => {
    const [from = "", , to = from] = each;
    return character >= from && character <= to;
  });
  return isMember !== negated;
}
