import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import type { SandboxSpec } from "../../src/index.ts";
import { createPipeBackend } from "../pipe-backend.ts";
import { specFor } from "../spec-for.ts";
import { tempFolder } from "../support.ts";
import { backendContract } from "./backend.ts";
import { createSite } from "./site.ts";

const backend = createPipeBackend();
/** Folders are inside where they are outside. */
const onHost = (root: string): Partial<SandboxSpec> => ({
  mounts: [{ name: "", hostPath: root, path: root, access: "rw" }],
  network: "full",
});

backendContract(
  "a pipe",
  () => ({
    backend,
    spec: () => {
      const root = tempFolder("workspace");
      return specFor(root, onHost(root));
    },
    refused: {},
    lose: ({ ref }) => process.kill(Number(ref.id), "SIGKILL"),
    traces: () => backend.list(),
  }),
  { without: ["limits"] },
);
const site = createSite(backend, onHost);
fileContract("a runner over a pipe", site, { oneIn: 4 });
processContract("a runner over a pipe", site, { oneIn: 5 });
