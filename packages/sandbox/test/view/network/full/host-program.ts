import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFullNetwork } from "../../../../src/view/network/full/full-network.ts";

/** A host of its own: runs a script in a network namespace that is led out of, and says how that went, as JSON. */
const [folder, script] = process.argv.slice(2) as [string, string];
const network = findFullNetwork();
const names = join(folder, `resolv-${process.getuid!()}.conf`);
writeFileSync(names, network.resolvConf ?? "");
const view =
  "bwrap --unshare-user --unshare-pid --die-with-parent --ro-bind / / --dev /dev --proc /proc --ro-bind".split(
    " ",
  );
const [program, ...args] = [...network.words(), ...view, names, "/etc/resolv.conf", "--", "sh", "-c", script];
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const attached = await network.attach(child.pid!).catch((thrown: unknown) => ({ failed: String(thrown) }));
if ("failed" in attached) child.kill("SIGKILL");
process.stdout.write(`${JSON.stringify({ kind: network.kind, pid: child.pid, ...attached })}\n`);
for await (const said of child.stdout) process.stdout.write(said as Buffer);
if ("close" in attached) {
  // What leads out does not keep a host running.
  const waiting = setInterval(() => {}, 1000);
  attached.close();
  process.stdout.write(`ended: ${await attached.ended}\n`);
  clearInterval(waiting);
}
