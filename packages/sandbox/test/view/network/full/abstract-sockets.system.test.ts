import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { abstractSockets } from "../../../../src/view/network/full/abstract-sockets.ts";
import { tempFolder } from "../../../support.ts";

test.runIf(process.platform === "linux")(
  "names a server at an abstract name, but not at a file",
  async () => {
    const name = `haft-test-${process.pid}`;
    const path = join(tempFolder("n"), "s");
    for (const at of [`\0${name}`, path]) {
      const server = createServer().listen(at);
      await once(server, "listening");
      onTestFinished(() => void server.close());
    }
    expect(abstractSockets()).toContain(`@${name}`);
    expect(abstractSockets().filter((one) => one.includes(path))).toEqual([]);
  },
);

test("names each served socket once, without control characters", () => {
  const list = join(tempFolder("n"), "unix");
  writeFileSync(
    list,
    [
      "Num       RefCount Protocol Flags    Type St Inode Path",
      "0000000000000000: 00000002 00000000 00010000 0001 01 11001 @/tmp/.X11-unix/X0",
      "0000000000000000: 00000003 00000000 00000000 0001 03 11002 @/tmp/.X11-unix/X0",
      "0000000000000000: 00000002 00000000 00010000 0001 01 11003 /run/bus",
      "0000000000000000: 00000003 00000000 00000000 0001 03 11004",
      "0000000000000000: 00000002 00000000 00000000 0002 01 11005 @notify with spaces",
      "0000000000000000: 00000002 00000000 00000000 0002 01 11006 @0004f",
      "0000000000000000: 00000002 00000000 00010000 0005 01     7 @padded@@@@",
      "0000000000000000: 00000002 00000000 00010000 0001 01 11008 @\u001b[31mred\u00e9",
      "0000000000000000: 00000002 00000000 00000000 0001 01 11009 @client",
      "",
    ].join("\n"),
    "latin1",
  );
  expect(abstractSockets(list)).toEqual([
    "@/tmp/.X11-unix/X0",
    "@?[31mred?",
    "@notify with spaces",
    "@padded",
  ]);
});

test("returns an empty list if the kernel has no such list", () => {
  expect(abstractSockets(join(tempFolder("n"), "none"))).toEqual([]);
});
