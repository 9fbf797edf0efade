import { expect } from "vitest";
import type { EditToolInput } from "../../src/edit/edit.ts";
import { createEditTool } from "../../src/edit/edit.ts";
import type { TemporaryWorkspace } from "./temporary-workspace.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

const tool = createEditTool();

export function edit(space: TemporaryWorkspace, params: EditToolInput) {
  return Promise.resolve(
    tool.execute("call", params, new AbortController().signal, undefined, space.context),
  );
}

export async function edited(content: string | Uint8Array, params: Omit<EditToolInput, "path">) {
  const space = await temporaryWorkspace({ "a.txt": content });
  const result = await edit(space, { path: "a.txt", ...params });
  return { after: await space.read("a.txt"), result, text: (result.content[0] as { text: string }).text };
}

export async function refused(content: string | Uint8Array, params: Omit<EditToolInput, "path">) {
  const space = await temporaryWorkspace({ "a.txt": content });
  const error = await edit(space, { path: "a.txt", ...params }).then(
    () => undefined,
    (thrown: unknown) =>
      thrown as { code: string; message: string; fix: string; details: Record<string, unknown> },
  );
  expect(await space.bytes("a.txt")).toEqual(Buffer.from(content as string));
  return error;
}

export const swap = (oldText: string, newText: string, more: Omit<EditToolInput, "path"> = {}) => ({
  oldText,
  newText,
  ...more,
});
