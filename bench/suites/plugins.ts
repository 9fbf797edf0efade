import { createHost, type Host } from "haft";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Case, Suite, TimedSubject } from "../suite.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const BROKEN = [
  'throw new Error("no luck");',
  "for (;;);",
  "process.exit(3);",
  "await new Promise(() => {});",
  'import "./gone.js";',
];
const [ALL, WITH_FACTORY] = [50, 15];

const tool = (name: string) => `defineTool({
  name: "${name}", description: "Does nothing.", parameters: Type.Object({ path: Type.Optional(Type.String()) }),
  effects: ["read"], execute: async () => ({ content: [text("ok")], details: {} }),
})`;

function module(index: number): string {
  const name = `tool_${index}`;
  const made = index < WITH_FACTORY ? `{ names: ["${name}"], factory: () => ${tool(name)} }` : tool(name);
  return `import { definePlugin, defineTool, text, Type } from "@haft/plugin-sdk";
export default definePlugin({ id: "plugin-${index}", tools: [${made}] });`;
}

async function hostOf(fixtures: string, plugins: string): Promise<Host> {
  return createHost({
    config: join(fixtures, plugins),
    workspaceDir: join(fixtures, "workspace"),
    stateDir: join(fixtures, "state"),
    administratorPolicy: false,
    logger: SILENT,
  });
}

/** From nothing to the first session, with plugins known from an earlier start. */
async function starting(fixtures: string, plugins: string): Promise<TimedSubject> {
  const start = async () => {
    const host = await hostOf(fixtures, plugins);
    await host.openSession();
    return host;
  };
  await (await start()).close();
  const open: Host[] = [];
  return {
    run: async () => open.push(await start()),
    close: () => Promise.all(open.map((host) => host.close())),
  };
}

async function anotherSession(fixtures: string): Promise<TimedSubject> {
  const host = await hostOf(fixtures, "all.json");
  await host.openSession();
  return { runs: 200, run: () => host.openSession(), close: () => host.close() };
}

const known = (name: string, about: string, plugins: string): Case => ({
  name,
  about,
  subjects: { Haft: (fixtures) => starting(fixtures, plugins) },
});

export const suite: Suite = {
  name: "plugins",
  title: "Plugins by name",
  prepare(fixtures) {
    for (const folder of ["workspace", "state"]) mkdirSync(join(fixtures, folder));
    const good = Array.from({ length: ALL }, (_, index) => `./good-${index}.js`);
    for (const [index, path] of good.entries()) writeFileSync(join(fixtures, path), module(index));
    const broken = BROKEN.map((_, index) => `./broken-${index}.js`);
    for (const [index, path] of broken.entries()) writeFileSync(join(fixtures, path), BROKEN[index]!);
    const most = good.slice(BROKEN.length);
    const configurations = { "all.json": good, "good.json": most, "broken.json": [...most, ...broken] };
    for (const [name, plugins] of Object.entries(configurations))
      writeFileSync(join(fixtures, name), JSON.stringify({ plugins }));
  },
  cases: [
    known(
      "start a host with 45 plugins",
      "From `createHost` to the first session, in a warm process. 10 plugins have factories. An earlier start has tested all of them.",
      "good.json",
    ),
    known(
      "start a host with 5 more, broken plugins",
      "The broken plugins throw, loop, exit, wait or lack a module.",
      "broken.json",
    ),
    {
      name: "open another session, 50 plugins",
      about: "15 plugins have a factory.",
      subjects: { Haft: anotherSession },
    },
  ],
};
