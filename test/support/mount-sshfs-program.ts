import { spawn } from "node:child_process";

// Mounts a folder at another place over the protocol of SFTP, without a network, until standard input ends. A process of its own: who
// reads the mount may be waiting for it at that moment.
const [from = "", to = ""] = process.argv.slice(2);
const server = spawn("/usr/lib/openssh/sftp-server", [], { stdio: ["pipe", "pipe", "inherit"] });
const client = spawn("sshfs", ["-f", "-o", "passive", `x:${from}`, to], {
  stdio: ["pipe", "pipe", "inherit"],
});
server.stdout.pipe(client.stdin);
client.stdout.pipe(server.stdin);
process.stdin.resume();
process.stdin.on("end", () => spawn("fusermount3", ["-u", "-z", to]).on("close", () => server.kill()));
client.on("close", () => process.stdin.destroy());
