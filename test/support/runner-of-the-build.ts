import * as nodeModule from "node:module";

// The runner is a program that tests start, too, hundreds of times: like the others it is that of the build, where there is
// one, which starts in a third of the time. Once in a process, before a test has loaded what starts it.

const INSTALLED = Symbol.for("haft.test.runner-of-the-build");
const shared = globalThis as { [INSTALLED]?: true };

// Tests on Bun and Deno start no runner. Bun has no module hooks; with Deno's, CommonJS modules are not loaded.
const isNode = !("bun" in process.versions) && !("deno" in process.versions);

if (process.env["HAFT_BUILT"] === "1" && isNode && shared[INSTALLED] === undefined) {
  shared[INSTALLED] = true;
  nodeModule.registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith("/workspace/src/processes/launch-runner.ts")) return loaded;
      const code = Buffer.from((loaded.source ?? "") as Uint8Array).toString();
      const built = code.replace("../run/runner-main.ts", "../../dist/runner-main.js");
      if (built === code) throw new Error(`${url} does not name the runner any more`);
      return { ...loaded, source: built };
    },
  });
}
