import type { HaftError } from "@haft/plugin-sdk";
import { requireWellFormed } from "../changes/text/file-text.ts";
import { fileToolError } from "../errors.ts";

export interface EditRequest {
  oldText: string;
  newText: string;
  replaceAll: boolean;
  expectedCount: number | undefined;
}

interface EditInput {
  oldText?: string;
  newText?: string;
  replaceAll?: boolean;
  expectedCount?: number;
}

/**
 * Accepts one pair, a list, or a list as JSON text.
 *
 * @throws `EDIT_INVALID` if there is no edit or a text is missing
 */
export function readEdits(input: EditInput & { edits?: unknown }): EditRequest[] {
  const listed = parseList(input.edits);
  const single = input.oldText !== undefined || input.newText !== undefined;
  if (listed.length === 0 && !single)
    throw incomplete("There is nothing to replace: neither oldText and newText nor edits were given.");
  const edits = single ? [...listed, input] : listed;
  return edits.map((edit, index) => toRequest(edit, edits.length === 1 ? "" : ` of edit ${index + 1}`));
}

function parseList(edits: unknown): EditInput[] {
  if (edits === undefined || edits === null) return [];
  let list: unknown = edits;
  if (typeof edits === "string") {
    try {
      list = JSON.parse(edits);
    } catch (cause) {
      throw incomplete("edits is a string, but not the JSON of a list of edits.", cause);
    }
  }
  const items: unknown[] = Array.isArray(list) ? list : [list];
  for (const item of items) {
    if (typeof item !== "object" || item === null)
      throw incomplete("edits must be a list of {oldText, newText}.");
  }
  return items as EditInput[];
}

function toRequest(edit: EditInput, which: string): EditRequest {
  const { oldText, newText, expectedCount } = edit;
  if (typeof oldText !== "string" || typeof newText !== "string") {
    const missing = typeof oldText === "string" ? "newText" : "oldText";
    throw incomplete(`${missing}${which} is missing (got ${Object.keys(edit).join(", ") || "nothing"}).`);
  }
  if (oldText === "") {
    throw fileToolError("EDIT_INVALID", `oldText${which} is empty, so there is nothing to replace.`, {
      fix: "Use write for the whole content, or quote the line next to which text is to be inserted.",
    });
  }
  requireWellFormed(`oldText${which}`, oldText);
  requireWellFormed(`newText${which}`, newText);
  return {
    oldText,
    newText,
    expectedCount,
    replaceAll: edit.replaceAll === true || (expectedCount ?? 1) > 1,
  };
}

function incomplete(message: string, cause?: unknown): HaftError {
  return fileToolError("EDIT_INVALID", message, {
    fix: "Send path with oldText and newText, or edits: [{oldText, newText}].",
    cause,
  });
}
