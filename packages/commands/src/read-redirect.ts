import type { Redirection } from "unbash";
import type { RedirectedFile } from "./outline.ts";
import { readWord } from "./read-word.ts";
import { locateFile } from "./words/names.ts";

/** A redirect as it is to be written, the file it would open, or why it is not certain what it does. */
export interface ReadRedirect {
  text?: string;
  file?: RedirectedFile;
  unclear?: string;
}

const WRITING = /^(?:>>?|>\||&>>?|<>)$/;

/** `source` is the text of the whole redirect, against which the parser's reading is held. */
export function readRedirect(redirect: Redirection, source: string, cwd: string): ReadRedirect {
  if (redirect.type === "HereDoc") return { unclear: "it uses a here-document (<<)" };
  if (redirect.type === "HereString") return { unclear: "it uses a here-string (<<<)" };
  const [, digits = "", operator = "", rest = ""] =
    /^(\d*)(>>|>&|>\||&>>|&>|<&|<>|>|<)[ \t]*([^]*)$/.exec(source) ?? [];
  const target = readWord(rest);
  if ("unclear" in target) return target;
  const isRead = operator === redirect.operator && redirect.target?.value === target.value;
  if (!isRead || target.value === "") return { unclear: "it has a redirect that cannot be read for certain" };
  const isDuplicate = operator === ">&" && /^[12]?$/.test(digits) && /^[12]$/.test(rest);
  if (isDuplicate) return { text: `${digits}>&${rest}` };
  const isNull = target.value === "/dev/null";
  if (isNull && /^>>?$/.test(operator) && /^[12]?$/.test(digits))
    return { text: `${digits}${operator}/dev/null` };
  if (isNull && operator === "<" && /^0?$/.test(digits)) return { text: `${digits}</dev/null` };
  if (operator === "<&" || operator === ">&") return { unclear: `it redirects with ${source}` };
  const access = WRITING.test(operator) ? "write" : "read";
  const path = locateFile(target.value, cwd);
  const verb = access === "write" ? "writes to" : "reads from";
  return { unclear: `it ${verb} a file by a redirect (${operator})`, file: { path, access } };
}
