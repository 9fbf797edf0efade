import type { Redirection } from "unbash";
import type { Redirect } from "../outline.ts";
import { locateFile } from "../words/names.ts";
import { expandWord } from "./expand-word.ts";
import { readHereDocument } from "./here-document.ts";
import { NOT_CERTAIN, type State } from "./state.ts";

/** A redirect as it is to be written, the file it would open, or why it is not certain what it does. */
export interface ReadRedirect {
  redirect?: Redirect;
  file?: { path: string; access: "read" | "write" };
  unclear?: string;
}

const WRITING = /^(?:>>?|>\||&>>?|<>)$/;
/** Those that open one file, for reading or for writing. */
const PLAIN = /^(?:0?<|[12]?>[>|]?)$/;

/** Reads a redirect from its source, against which the parser's reading is held. */
export async function readRedirect(item: Redirection, state: State): Promise<ReadRedirect> {
  if (item.type === "HereDoc") {
    const read = readHereDocument(item, state);
    return typeof read === "object" && "unclear" in read ? read : { redirect: read };
  }
  if (item.type === "HereString") return { unclear: "it uses a here-string (<<<)" };
  const source = state.source.slice(item.pos, item.end);
  const [, digits = "", operator = "", rest = ""] =
    /^(\d*)(>>|>&|>\||&>>|&>|<&|<>|>|<)[ \t]*([^]*)$/.exec(source) ?? [];
  if (item.target === undefined || operator !== item.operator || item.target.end !== item.end)
    return { unclear: "it has a redirect that cannot be read for certain" };
  // Some shells put in the name of a file here, where there is one, and others do not.
  if (/[*?[{]/.test(rest)) return { unclear: "it has a redirect that cannot be read for certain" };
  const target = await expandWord(item.target, state);
  if ("unclear" in target)
    return target.unclear === NOT_CERTAIN
      ? { unclear: "it has a redirect that cannot be read for certain" }
      : target;
  const [word, ...others] = target.words;
  if (word === undefined || word.text === "" || others.length > 0 || word.fill !== undefined)
    return { unclear: "it has a redirect that cannot be read for certain" };
  const isDuplicate = operator === ">&" && /^[12]?$/.test(digits) && /^[12]$/.test(rest);
  // Dash takes the number for that of the redirect that touches it.
  if (isDuplicate && /[<>]/.test(state.source.charAt(item.end)))
    return { unclear: "it has a redirect that cannot be read for certain" };
  if (isDuplicate) return { redirect: `${digits}>&${rest}` };
  const isNull = word.text === "/dev/null";
  if (isNull && /^>>?$/.test(operator) && /^[12]?$/.test(digits))
    return { redirect: `${digits}${operator}/dev/null` };
  if (isNull && operator === "<" && /^0?$/.test(digits)) return { redirect: `${digits}</dev/null` };
  if (operator === "<&" || operator === ">&") return { unclear: `it redirects with ${source}` };
  const access = WRITING.test(operator) ? "write" : "read";
  const file = { path: locateFile(word.text, state.cwd), access } as const;
  const verb = access === "write" ? "writes to" : "reads from";
  if (state.ground === undefined || !PLAIN.test(digits + operator))
    return { unclear: `it ${verb} a file by a redirect (${operator})`, file };
  return { redirect: { operator: digits + operator, file: file.path }, file };
}
