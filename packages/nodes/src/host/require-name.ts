import { nodesError } from "../errors.ts";

/** It is shown to people, and stands in rules: it is plain, and nobody's id. @throws HaftError `NODE_OPTIONS_INVALID` */
export function requireName(id: string, name: string, ids: readonly string[]): void {
  const isPlain = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._'-]{0,63}$/u.test(name) && name.trim() === name;
  const isId = name !== id && (/^U[A-Z2-7]{55}$/.test(name) || ids.includes(name));
  if (isPlain && !isId) return;
  const message = `${JSON.stringify(name.slice(0, 80))} cannot be what a node is called here: ${isId ? "it is an id" : "a name has letters and digits, and between them spaces, dots, _, ' and -"}.`;
  throw nodesError("NODE_OPTIONS_INVALID", message, { fix: "Approve it under another name." });
}
