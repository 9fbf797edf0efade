import { describe } from "vitest";
import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import { Engine } from "../../src/docker/engine/engine.ts";
import { createDockerBackend } from "../../src/index.ts";
import { useDocker } from "../docker/support.ts";
import { specFor } from "../spec-for.ts";
import { ORDINARY, tempFolder } from "../support.ts";
import { backendContract } from "./backend.ts";
import { createSite } from "./site.ts";

const { daemon, socketPath, backend } = await useDocker();
const engine = new Engine(socketPath);
const on = (hostPath: string) => [{ name: "", hostPath, path: "/workspace", access: "ro" as const }];

describe.skipIf(daemon === undefined)("a container", () => {
  backendContract("docker", () => ({
    backend,
    another: createDockerBackend({ socketPath }),
    spec: () => specFor(tempFolder("workspace", ORDINARY)),
    refused: {
      "a list of hosts": { network: { allow: ["example.org"] } },
      root: { user: { uid: 0, gid: 0 } },
      "no folder for the workspace": { mounts: [] },
      "all of the host": { mounts: on("/") },
      "the system": { mounts: on("/etc") },
    },
    lose: ({ ref }) => engine.call("POST", `/containers/${ref.id}/kill`),
    traces: () => engine.call<unknown[]>("GET", "/containers/json?all=1"),
  }));
  const site = createSite(backend);
  fileContract("in a container", site);
  processContract("in a container", site);
});
