import { readRegularFile } from "@haft/workspace/internal/regular-file";
import { dirname } from "node:path";
import { foldersUpwards } from "../../boundary/configuration-places.ts";
import { realPlace } from "../../boundary/real-path.ts";
import { hostError } from "../../errors.ts";
import { type TextSource, whyUnreadable } from "../policy-file.ts";

/**
 * Reads the files of rules that a configuration names while it is not trusted: regular files of at most 1 MiB whose real path is in
 * the same workspace. Errors do not repeat their text.
 *
 * @param configuration real path
 */
export function filesOfUnknown(configuration: string): TextSource {
  const [folder = dirname(configuration), ...above] = foldersUpwards(dirname(configuration));
  const workspace = above.at(-1) ?? folder;
  return {
    hidesText: true,
    read(path) {
      const real = realPlace(path);
      if (!real.startsWith(workspace === "/" ? "/" : `${workspace}/`))
        throw outside(configuration, path, real);
      try {
        return new TextDecoder("utf-8", { fatal: true }).decode(readRegularFile(real));
      } catch (thrown) {
        throw hostError("POLICY_UNREADABLE", `${path}: cannot read it: ${whyUnreadable(thrown)}.`);
      }
    },
  };
}

function outside(configuration: string, path: string, real: string): Error {
  const where = real === path ? "" : `, which leads to ${real}`;
  return hostError(
    "CONFIG_UNTRUSTED",
    `${configuration} names ${path}${where}: outside of its workspace, so it is not read for a configuration that is not trusted.`,
    { fix: "Copy the rules into the workspace, or name the configuration with --config." },
  );
}
