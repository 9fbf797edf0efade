import { forgetCredentials } from "../../mcp/credentials.ts";
import { changeOperatorsFile } from "../../mcp/operators-file.ts";
import { shownPath } from "../plugins/plugins-place.ts";
import { findServer, type McpValues, readMcpPlace } from "./mcp-place.ts";

export async function removeServer(values: McpValues, [name = ""]: readonly string[]): Promise<number> {
  const place = await readMcpPlace(values);
  const { source } = findServer(name, place);
  await changeOperatorsFile(place.file, ({ [name]: _gone, ...others }) => others);
  place.noted.forget(name);
  const wasSignedIn = forgetCredentials(place.stateDir, place.file, name);
  const isStillNamed = source !== place.file;
  if (values.json)
    console.log(
      JSON.stringify({
        name,
        file: place.file,
        credentials: wasSignedIn,
        stillNamedIn: isStillNamed ? source : undefined,
      }),
    );
  else {
    console.log(
      `Took ${name} out of ${shownPath(place.file)}${wasSignedIn ? ", and forgot how it was signed in to" : ""}.`,
    );
    if (isStillNamed) console.log(`${shownPath(source)} still names it; it is held back.`);
  }
  return 0;
}
