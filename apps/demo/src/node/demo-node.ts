import { createNode, defineNodeCommand, type HaftNode } from "@haft/nodes";
import { text, Type } from "@haft/plugin-sdk";
import { createBubblewrapBackend, offerWorkspace } from "@haft/sandbox";
import { appendFileSync } from "node:fs";
import { bellOf, projectOf } from "./folders.ts";

/** What the operator of the node offers: a folder to work in, and a bell. */
export function createDemoNode(id: string, folder: string): HaftNode {
  const bell = defineNodeCommand({
    name: "bell.ring",
    description: "Rings the bell of the workshop.",
    parameters: Type.Object({ times: Type.Integer({ minimum: 1, maximum: 3 }) }),
    effects: ["write"],
    run({ times }) {
      appendFileSync(bellOf(folder), `${"ding ".repeat(times).trim()}\n`);
      return { content: [text("It rang.")], details: { times } };
    },
  });
  const project = offerWorkspace(createBubblewrapBackend(), {
    name: "project",
    description: "The project, as it lies on the node.",
    folder: projectOf(folder),
    access: "rw",
  });
  return createNode({ id, name: "workshop", commands: [bell], workspaces: [project] });
}
