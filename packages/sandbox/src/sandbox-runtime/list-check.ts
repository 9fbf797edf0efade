/** A documentation address without a server. */
const BEYOND = "192.0.2.1:9";
const UNLISTED = "not-on-the-list.invalid";
const WAIT_SECONDS = 10;

const BY_SOCAT = `
"$1" -u OPEN:/dev/null "TCP:$4,connect-timeout=1" 2>/dev/null && { echo "a connection around the proxy is possible"; exit; }
said=$(printf %s "$3" | "$1" -T ${WAIT_SECONDS} -,ignoreeof "TCP:$2" 2>&1 | head -n 1 | tr -d '\\r')
case $said in
  "") echo "its proxy does not answer: it closed the connection, or sent nothing for ${WAIT_SECONDS} seconds";;
  HTTP/*" 403 "*) echo held;;
  HTTP/*) echo "an unlisted host was answered with $said";;
  *) echo "its proxy does not answer: $said";;
esac`;

const BY_NODE = `
const net = require("net");
const [proxy, request, beyond] = process.argv.slice(1);
const at = (address) => { const [, host, port] = /^(.*):(\\d+)$/.exec(address); return { host, port: Number(port) }; };
const say = (text) => { console.log(text); process.exit(); };
const direct = net.connect({ ...at(beyond), timeout: 1000 });
direct.on("connect", () => say("a connection around the proxy is possible")).on("error", () => {});
let answer = "";
net.connect(at(proxy), function () {
  this.setTimeout(${WAIT_SECONDS * 1000}, () => say("its proxy does not answer: nothing for ${WAIT_SECONDS} seconds"));
  this.write(request);
}).on("data", (bytes) => {
  const [line, ...more] = (answer += bytes).split("\\r\\n");
  if (more.length > 0)
    say(line.split(" ")[1] === "403" ? "held" : "an unlisted host was answered with " + line);
}).on("end", () => say("its proxy does not answer: it closed the connection"))
  .on("error", ({ message }) => say("its proxy does not answer: " + message));`;

export interface ListCheckOptions {
  proxy: string;
  node: string;
  socat?: string | undefined;
  blockedTarget?: string;
}

/** Requests an unlisted host, and bypasses the proxy. Prints `held`, or the failure. */
export function listCheck({ proxy, node, socat, blockedTarget = BEYOND }: ListCheckOptions): string[] {
  const { hostname, port, username, password } = new URL(proxy);
  const user = [username, password].map(decodeURIComponent).join(":");
  const request = [
    `GET http://${UNLISTED}/ HTTP/1.1`,
    `Host: ${UNLISTED}`,
    `Proxy-Authorization: Basic ${Buffer.from(user).toString("base64")}`,
    "Connection: close",
    "",
    "",
  ].join("\r\n");
  const words = [`${hostname}:${port}`, request, blockedTarget];
  return socat === undefined
    ? [node, "-e", BY_NODE, ...words]
    : ["/bin/sh", "-c", BY_SOCAT, "sh", socat, ...words];
}
