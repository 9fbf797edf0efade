import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { testInSandbox } from "../../bubblewrap/support.ts";
import { tempFolder } from "../../support.ts";
import { allowsPackages, openTestNetwork, startTestInternet, runInView, startInView } from "./support.ts";

const NODE = JSON.stringify(process.execPath);

testInSandbox("lets programs reach listed hosts, and explains refusals of others", async () => {
  const { options } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const get = (url: string) =>
    `${NODE} -e 'fetch("${url}").then(async (r) => console.log(r.status, (await r.text()).trim()))'`;
  const output = await runInView(
    network,
    `curl -sS http://packages.example.com/
     curl -sS http://other.example.com/
     curl -sS https://other.example.com/
     ${get("http://packages.example.com/")}
     ${get("http://other.example.com/")}`,
  );
  const refused =
    'other.example.com is not on the list of this session\'s network: call exec again with network: ["other.example.com"]; a person decides.';
  expect(output.trimEnd().split("\n")).toEqual([
    "hello from packages.example.com",
    refused,
    "curl: (56) CONNECT tunnel failed, response 403",
    "200 hello from packages.example.com",
    `403 ${refused}`,
  ]);
  expect(network.takeRefusals().refusals).toMatchObject([{ host: "other.example.com", port: 80 }]);
});

testInSandbox("leaves no way around the proxy, and a separate loopback", async () => {
  const { options, port, received } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: () => true });
  const output = await runInView(
    network,
    `curl -sS --noproxy '*' -m 5 http://127.0.0.1:${port}/ 2>&1 | sed 's/ after.*//'
     curl -sS --noproxy '*' -m 5 http://198.51.100.7/ 2>&1 | sed 's/ after.*//'
     curl -sS --noproxy '' -x http://127.0.0.1:3128 -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:${port}/
     curl -sS --noproxy '' -x http://127.0.0.1:3128 -o /dev/null -w '%{http_code}\\n' http://localhost:3128/
     tail -n +3 /proc/net/dev | cut -d: -f1 | xargs`,
  );
  expect(output).toBe(
    "curl: (7) Failed to connect to 127.0.0.1 port " +
      `${port}\ncurl: (7) Failed to connect to 198.51.100.7 port 80\n403\n403\nlo\n`,
  );
  expect(received).toEqual([]);
});

testInSandbox("supports git clone and fetch over http", async () => {
  const served = tempFolder("served");
  execFileSync(
    "sh",
    [
      "-c",
      `git init -qb main work && cd work && echo one >file && git add file &&
       git -c user.name=a -c user.email=a@example.com commit -qm one && cd .. &&
       git clone -q --bare work repo.git && git -C repo.git update-server-info`,
    ],
    { cwd: served },
  );
  const { options } = await startTestInternet((request, response) => {
    const path = join(served, request.url!.replace(/\?.*/, ""));
    if (existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const output = await runInView(
    network,
    "git clone -q http://packages.example.com/repo.git got && cat got/file; git clone http://other.example.com/repo.git 2>&1 | tail -n 1",
  );
  expect(output).toMatch(/^one\nfatal: unable to access .*403\n$/);
});

testInSandbox("supports npm install from a registry", async () => {
  const served = tempFolder("served");
  mkdirSync(join(served, "package"));
  writeFileSync(join(served, "package/package.json"), '{"name":"leaf","version":"1.0.0"}');
  execFileSync("tar", ["cf", "leaf.tar", "package"], { cwd: served });
  const tarball = gzipSync(readFileSync(join(served, "leaf.tar")));
  const registry: RequestListener = (request, response) => {
    if (request.url === "/leaf-1.0.0.tgz") response.end(tarball);
    else if (request.url === "/leaf") {
      const dist = { tarball: "http://packages.example.com/leaf-1.0.0.tgz" };
      response.end(
        JSON.stringify({
          name: "leaf",
          "dist-tags": { latest: "1.0.0" },
          versions: { "1.0.0": { name: "leaf", version: "1.0.0", dist } },
        }),
      );
    } else response.writeHead(404).end("{}");
  };
  const { options } = await startTestInternet(registry);
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const npm = "npm install --no-audit --no-fund --no-update-notifier --fetch-retries=0 --loglevel=error";
  const output = await runInView(
    network,
    `${npm} --registry=http://packages.example.com/ leaf && cat node_modules/leaf/package.json
     echo; ${npm} --registry=http://other.example.com/ leaf 2>&1 | grep -c 403`,
  );
  expect(output).toMatch(/\{"name":"leaf","version":"1\.0\.0"\}\n[1-9]\n$/);
});

testInSandbox("transfers a large body in both directions", async () => {
  const size = 8 * 1024 * 1024;
  const { options, received } = await startTestInternet((_request, response) =>
    response.end(Buffer.alloc(size, "b")),
  );
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const output = await runInView(
    network,
    `head -c ${size} /dev/zero | tr '\\0' a >up
     curl -sS --data-binary @up http://packages.example.com/ | tr -d b | wc -c
     curl -sSp --data-binary @up http://packages.example.com:80/ | tr -d b | wc -c
     curl -sS -H 'Transfer-Encoding: chunked' --data-binary @up http://packages.example.com/ | wc -c`,
  );
  expect(output).toBe(`0\n0\n${size}\n`);
  const whole = "a".repeat(size);
  expect(received.map(({ body }) => body.length)).toEqual([size, size, size]);
  expect(received.map(({ body }) => body === whole)).toEqual([true, true, true]);
});

testInSandbox("separates the lists of two sessions on the same port", async () => {
  const { options } = await startTestInternet();
  const one = await openTestNetwork({ ...options, allows: allowsPackages });
  const other = await openTestNetwork({ ...options, allows: (host) => host === "other.example.com" });
  const both = "curl -s http://packages.example.com/ http://other.example.com/ | cut -c 1-27";
  expect(await Promise.all([runInView(one, both), runInView(other, both)])).toEqual([
    "hello from packages.example\nother.example.com is not on\n",
    "packages.example.com is not\nhello from other.example.co\n",
  ]);
});

testInSandbox("fails commands but keeps the runner if the proxy ends", async () => {
  const { options } = await startTestInternet();
  const network = await openTestNetwork({ ...options, allows: allowsPackages });
  const cwd = tempFolder("v");
  const view = startInView(
    network,
    `curl -s http://packages.example.com/; until [ -e gone ]; do sleep 0.05; done
     curl -s http://packages.example.com/; echo "$?"`,
    cwd,
  );
  await view.said("hello from");
  await network.close();
  writeFileSync(join(cwd, "gone"), "");
  // Not 7, which is nobody at the port.
  expect(await view.ended).toMatch(/hello from packages\.example\.com\n(52|56)\n$/);
});
