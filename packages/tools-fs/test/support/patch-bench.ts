import { expect } from "vitest";
import { createApplyPatchTool } from "../../src/apply-patch/apply-patch.ts";
import { readTree } from "./read-tree.ts";
import type { TemporaryWorkspace } from "./temporary-workspace.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

const tool = createApplyPatchTool();

export async function patch(space: TemporaryWorkspace, input: string, signal = new AbortController().signal) {
  const result = await tool.execute("call", { input }, signal, undefined, space.context);
  return { ...result, text: (result.content[0] as { text: string }).text };
}

/** Sections between the markers. */
export const wrap = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");

export async function patched(files: Record<string, string | Uint8Array>, input: string) {
  const space = await temporaryWorkspace(files);
  const result = await patch(space, input);
  return { ...result, tree: await readTree(space.root) };
}

export interface Refusal {
  code: string;
  message: string;
  receipt: string;
  details: { conflicts: Record<string, unknown>[]; line: number };
}

/** The error, after checking that nothing at all changed. */
export async function refused(files: Record<string, string | Uint8Array>, input: string): Promise<Refusal> {
  const space = await temporaryWorkspace(files);
  const before = await readTree(space.root);
  const error = await patch(space, input).then(
    () => undefined,
    (thrown: unknown) => thrown as Refusal,
  );
  expect(await readTree(space.root)).toEqual(before);
  expect(error).toMatchObject({ name: "HaftError", receipt: "none" });
  return error as Refusal;
}

export const firstConflict = async (...args: Parameters<typeof refused>) =>
  (await refused(...args)).details.conflicts[0];
