import { expect } from "vitest";
import { specFor } from "../spec-for.ts";
import { openTestSandbox, startWebServer, createWorkspaceFolder, testInSandbox } from "./support.ts";

/** Asks srt's proxy for pages and for tunnels, one after the other, whatever the environment says about going around it. */
const ASK = `cat >ask.cjs <<'JS'
const http = require("http"), net = require("net");
const received = process.argv.slice(2);
const next = () => {
const [how, target] = received.splice(0, 2);
const said = (...words) => { console.log(...words); if (received.length > 0) next(); else process.exit(); };
const { hostname, port, username, password } = new URL(process.env.HTTP_PROXY);
const basic = Buffer.from([username, password].map(decodeURIComponent).join(":")).toString("base64");
const headers = { "proxy-authorization": "Basic " + basic };
if (how === "tunnel") {
  http.request({ hostname, port, method: "CONNECT", path: target, headers })
    .on("connect", ({ statusCode }, socket) => { socket.destroy(); said(statusCode); }).end();
} else if (how === "page") {
  http.get({ hostname, port, path: target, headers: { ...headers, host: new URL(target).host } }, async (response) =>
    said(response.statusCode, (await response.toArray()).join("").trim()));
} else {
  const [host, to] = target.split(":");
  net.connect({ host, port: Number(to) }).on("connect", () => said("connected"))
    .on("error", ({ code }) => said(code));
}
};
next();
JS
ask() { node ask.cjs "$@" 2>&1; }
`;

testInSandbox(
  "gives each sandbox a separate list: only its hosts answer, and only through the proxy",
  async () => {
    const [first, second] = [await startWebServer(), await startWebServer()];
    const allowing = (port: number) =>
      openTestSandbox(specFor(createWorkspaceFolder(), { network: { allow: [`localhost:${port}`] } }));
    const [one, other] = await Promise.all([allowing(first.port), allowing(second.port)]);
    const at = ({ port }: { port: number }, path: string) => `page http://localhost:${port}${path}`;
    const refused = "403 Connection blocked by network allowlist";
    expect(
      (await one.run(`${ASK} ask ${at(first, "/hello")} tunnel localhost:${first.port} ${at(second, "/")}`))
        .output,
    ).toBe(`200 from the host\n200\n${refused}\n`);
    expect((await other.run(`${ASK} ask ${at(first, "/")} ${at(second, "/")}`)).output).toBe(
      `${refused}\n200 from the host\n`,
    );
    const allowed = [["GET /hello"], ["GET /"]];
    expect([first.received, second.received]).toEqual(allowed);

    const pages = [
      `http://localhost:${second.port}/`,
      `http://127.0.0.1:${first.port}/`,
      `http://[::1]:${first.port}/`,
      `http://2130706433:${first.port}/`,
      `http://localhost.:${second.port}/`,
      `http://localhost.example.com:${first.port}/`,
      "http://example.com/",
      "http://169.254.169.254/latest/meta-data/",
    ];
    const { output } = await one.run(`${ASK} ask ${pages.map((page) => `page '${page}'`).join(" ")}`);
    const answers = output.trimEnd().split("\n");
    expect(answers).toHaveLength(pages.length);
    for (const answer of answers) expect(answer).toMatch(/^403 Connection blocked by network allowlist/);
    const around = await one.run(
      `${ASK} ask tunnel example.com:443 tunnel localhost:${second.port} direct 127.0.0.1:${first.port} direct 192.0.2.1:80
       tail -n +3 /proc/net/dev | cut -d: -f1`,
    );
    expect(around.output).toMatch(/^403\n403\nECONNREFUSED\nENETUNREACH\n\s*lo\n$/);
    expect([first.received, second.received]).toEqual(allowed);

    // Node's own requests go to the proxy by themselves, where Node knows how.
    if (Number.parseInt(process.versions.node) < 24) return;
    const program = `fetch("http://example.com/").then(async (r) => console.log(r.status, await r.text()))`;
    const printed = await one.run(`"\${PATH##*:}/node" -e '${program}'`);
    expect(printed.output).toMatch(/^403 Connection blocked by network allowlist/);
  },
);

testInSandbox('allows no host with the network "none" or an empty list', async () => {
  const { port, received } = await startWebServer();
  for (const network of ["none", { allow: [] }] as const) {
    const { run, sandbox } = await openTestSandbox(specFor(createWorkspaceFolder(), { network }));
    const { output } = await run(`${ASK} ask page http://localhost:${port}/; ask direct 127.0.0.1:${port}`);
    expect(output).toMatch(/ECONNREFUSED\n$/);
    expect(output).not.toContain("200");
    expect(sandbox.facts.network).toBe(network === "none" ? "none" : "limited");
  }
  expect(received).toEqual([]);
});
