import type { ApiError } from "../../src/wire/api.ts";
import { words } from "../strings/frame.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { escapeInvisible } from "./text/escape-invisible.ts";

export function ErrorNotice({ fault, onRetry }: { fault: ApiError | undefined; onRetry?: () => void }) {
  if (fault === undefined) return null;
  const isUnreachable = fault.code === "UNREACHABLE";
  const fix = isUnreachable ? words.unreachableFix : fault.fix;
  return (
    <div class="notice error" role="alert">
      <Icon name="warning" />
      <div class="grow text">
        <p>{isUnreachable ? words.unreachable : escapeInvisible(fault.message)}</p>
        {fix !== undefined && <p class="small">{escapeInvisible(fix)}</p>}
      </div>
      {!isUnreachable && <code class="small">{fault.code}</code>}
      {onRetry !== undefined && <Button look="small" text={words.retry} onClick={onRetry} />}
    </div>
  );
}
