import { escapeInvisible, redactSecrets } from "@haft/core/internal";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text of anybody's, on one line, for elements and quoted attributes: nothing in it is markup, invisible or a known secret. */
export function html(text: string): string {
  return escaped(escapeInvisible(redactSecrets(text)));
}

/** The same of a text of several lines, for `<pre>`: line ends and tabs stay, and very long texts are cut. */
export function htmlLines(text: string, most = 20_000): string {
  // Covered before it is cut: half a secret looks like none.
  const shown = redactSecrets(text.slice(0, most * 2)).slice(0, most);
  const lines = shown.split(/\r?\n/).map((line) => line.split("\t").map(escapeInvisible).join("\t"));
  const note = text.length > most ? `\n… ${(text.length - most).toLocaleString("en")} more characters` : "";
  return escaped(lines.join("\n")) + note;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!);
}
