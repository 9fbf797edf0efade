import type { Plugin } from "@haft/core";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { createHost } from "../../src/host/host.ts";

const SDK = new URL("../../../plugin-sdk/src/index.ts", import.meta.url).href;

/** A module that defines a plugin, and one that it would load later, in a project. */
async function project(folder: string) {
  const root = realFolder();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put("package.json", "{}");
  put(
    `${folder}/dist/index.mjs`,
    `import { definePlugin } from ${JSON.stringify(SDK)};
export default definePlugin({ id: "mine", tools: [] });
`,
  );
  put(`${folder}/dist/lazy.mjs`, "export const one = 1;\n");
  const { default: plugin } = (await import(pathToFileURL(join(root, folder, "dist/index.mjs")).href)) as {
    default: Plugin;
  };
  return { root, put, plugin };
}

async function writing(root: string, plugin: Plugin, boundary = {}) {
  const host = await createHost({ workspaceDir: root, plugins: [plugin], stateDir: false, boundary });
  onTestFinished(() => host.close());
  const session = await host.openSession({ kind: "main" });
  return async (path: string) => {
    const outcome = await session.call({
      name: "write",
      arguments: { path, content: `evil ${crypto.randomUUID()}\n` },
    });
    return outcome.kind === "ok" ? "ok" : (outcome as { code: string }).code;
  };
}

test("sessions cannot change any file of an installed plugin package", async () => {
  const { root, put, plugin } = await project("node_modules/mine");
  put("node_modules/mine/package.json", "{}");
  put("node_modules/other/index.mjs", "");
  expect(plugin.source).toBe(join(root, "node_modules/mine/dist/index.mjs"));
  const write = await writing(root, plugin);
  for (const path of ["dist/index.mjs", "dist/lazy.mjs", "dist/new.mjs", "package.json"]) {
    expect(await write(`node_modules/mine/${path}`)).toBe("READ_ONLY");
  }
  expect(await write("node_modules/other/index.mjs")).toBe("ok");
  expect(readFileSync(join(root, "node_modules/mine/dist/lazy.mjs"), "utf8")).toBe("export const one = 1;\n");
});

test("sessions cannot change the module of a project plugin or code that the host names", async () => {
  const { root, plugin } = await project("plugins/mine");
  const write = await writing(root, plugin);
  expect(await write("plugins/mine/dist/index.mjs")).toBe("READ_ONLY");
  expect(await write("plugins/mine/dist/lazy.mjs")).toBe("ok");
  const named = await writing(root, plugin, { code: [join(root, "plugins/mine")] });
  expect(await named("plugins/mine/dist/lazy.mjs")).toBe("READ_ONLY");
  const open = await writing(root, plugin, { code: false });
  expect(await open("plugins/mine/dist/lazy.mjs")).toBe("ok");
});
