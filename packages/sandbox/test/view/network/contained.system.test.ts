import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { expect, onTestFinished } from "vitest";
import { openView } from "../../../src/view/open-view.ts";
import { eventually, tempFolder } from "../../support.ts";
import { runIn, createViewSpec, testContained } from "../support.ts";
import { allowsPackages, openTestNetwork, startTestInternet } from "./support.ts";

/** Where the folder of the network is in a view. */
const INSIDE = "/run/haft-network";

/** A view with a network, as hosts put them together. */
async function aConnectedView(options: Parameters<typeof openTestNetwork>[0]) {
  const network = await openTestNetwork(options);
  const root = tempFolder("view");
  const extra = [{ from: network.folder, to: INSIDE, access: "ro" as const }];
  const view = openView(createViewSpec({ writable: [root], extra }));
  const processes = createHostProcesses({
    workspace: createHostWorkspace({ root }),
    view: {
      ...view.launch,
      environment: { ...view.launch.environment, ...network.environment },
      runner: network.runnerOptions(INSIDE),
    },
    stateFolder: tempFolder("runs"),
  });
  onTestFinished(async () => {
    await processes.close({ graceMs: 0 });
    await view.close();
  });
  return { network, processes, run: (script: string) => runIn(processes, script) };
}

testContained("lets commands of a view reach listed hosts, and hosts that a person approves", async () => {
  const { options } = await startTestInternet();
  const { network, run } = await aConnectedView({ ...options, allows: allowsPackages });
  expect(await run("curl -s http://packages.example.com/")).toEqual({
    output: "hello from packages.example.com\n",
    exitCode: 0,
  });
  const refused = await run("curl -s http://other.example.com/ && curl -s https://other.example.com/");
  expect(refused).toMatchObject({ exitCode: 56 });
  expect(refused.output).toContain('call exec again with network: ["other.example.com"]');
  expect(network.takeRefusals().refusals.map(({ host }) => host)).toEqual(["other.example.com"]);
  network.allow("other.example.com");
  expect((await run("curl -s http://other.example.com/")).output).toBe("hello from other.example.com\n");
});

testContained("gives pooled shells the same network", async () => {
  const { options, port } = await startTestInternet();
  const { run } = await aConnectedView({ ...options, allows: allowsPackages });
  for (let n = 0; n < 3; n++) {
    const { output } = await run(
      `curl -s http://packages.example.com/; curl -s --noproxy '*' http://127.0.0.1:${port}/ || echo "$?"`,
    );
    expect(output).toBe("hello from packages.example.com\n7\n");
  }
});

testContained("keeps commands from replacing files of the network's folder", async () => {
  const { options } = await startTestInternet();
  const { network, run } = await aConnectedView({ ...options, allows: allowsPackages });
  const { output } = await run(
    `cd ${INSIDE}; rm -f proxy.sock forwards.sock 2>&1; ln -s /etc/passwd other 2>&1; mv proxy.sock x 2>&1; ls`,
  );
  expect(output).toMatch(/Read-only file system/);
  expect(output).toMatch(/forwards\.sock\nproxy\.sock\n$/);
  expect(output).not.toMatch(/^other$/m);
  expect((await run("curl -s http://packages.example.com/")).output).toContain("hello from");
  expect(network.takeRefusals().refusals).toEqual([]);
});

testContained("forwards a server of a finished command to the host", async () => {
  const { network, processes, run } = await aConnectedView({});
  const server = `require("http").createServer((q, r) => r.end("inside " + q.url)).listen(5173, () => console.log("ready"))`;
  const { id } = await processes.start("server", { argv: [process.execPath, "-e", server] });
  const isReady = async () =>
    (await processes.read(id, 0)).chunks.some(({ bytes }) => Buffer.from(bytes).includes("ready"));
  expect(await eventually(isReady)).toBe(true);
  expect((await run("curl -s http://localhost:5173/from-inside")).output).toBe("inside /from-inside");
  const { port } = await network.openForward({ port: 5173 });
  expect(await (await fetch(`http://127.0.0.1:${port}/from-outside`)).text()).toBe("inside /from-outside");
});
