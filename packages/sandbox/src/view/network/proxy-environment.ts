const INSIDE = "localhost,127.0.0.1,::1";

/**
 * Variables that lead commands to a proxy at this port of the view's own loopback: programs read them in upper or in lower
 * case, `curl` and `git` in lower only for plain requests. Node's own requests follow from Node 22.21 and 24 on, by
 * `NODE_USE_ENV_PROXY`, which makes each start of Node twice as long: so only where it leads somewhere. npm, pnpm, yarn, pip
 * and cargo need no settings of their own.
 */
export function proxyEnvironment(port: number, isLed: boolean): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  const variables = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: INSIDE };
  const both = Object.entries(variables).flatMap(([name, value]) => [
    [name, value],
    [name.toLowerCase(), value],
  ]);
  return {
    ...(Object.fromEntries(both) as Record<string, string>),
    ...(isLed && { NODE_USE_ENV_PROXY: "1" }),
  };
}
