import type { Fault } from "../../src/wire/api.ts";
import { words } from "../strings/frame.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { visible } from "./text/visible-text.ts";

export function FaultNotice({ fault, onRetry }: { fault: Fault | undefined; onRetry?: () => void }) {
  if (fault === undefined) return null;
  const isGone = fault.code === "UNREACHABLE";
  const fix = isGone ? words.unreachableFix : fault.fix;
  return (
    <div class="notice error" role="alert">
      <Icon name="warning" />
      <div class="grow text">
        <p>{isGone ? words.unreachable : visible(fault.message)}</p>
        {fix !== undefined && <p class="small">{visible(fix)}</p>}
      </div>
      {!isGone && <code class="small">{fault.code}</code>}
      {onRetry !== undefined && <Button look="small" text={words.retry} onClick={onRetry} />}
    </div>
  );
}
