import type { ApiError, Lint, PolicyView } from "../../../src/wire/api.ts";
import { linkTo } from "../../app/routes.ts";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Mark } from "../../parts/mark.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { words } from "../../strings/frame.ts";
import { policy as texts } from "../../strings/rules.ts";

interface LintListProps {
  /** `undefined` until programs are checked. */
  lint: readonly Lint[] | undefined;
  files: PolicyView["files"];
  fault: ApiError | undefined;
  onRetry: () => void;
}

export function LintList({ lint, files, fault, onRetry }: LintListProps) {
  if (lint === undefined)
    return fault === undefined ? (
      <p class="loading soft">{words.loading}</p>
    ) : (
      <div class="body">
        <ErrorNotice fault={fault} onRetry={onRetry} />
      </div>
    );
  if (lint.length === 0) return <Empty icon="policy" title={texts.noLint} />;
  return (
    <div class="body" tabIndex={0} role="region" aria-label={texts.lint}>
      <ul class="lint-list">
        {lint.map(({ severity, file, line, column, path, message, nearest }, index) => {
          const source = files.find(({ id, path: where }) => id === file || where === file);
          const spot = [line, column].filter((part) => part !== undefined).join(":");
          return (
            <li key={index}>
              <Mark word={severity} />
              <div class="grow">
                <p class="text">{escapeInvisible(message)}</p>
                <p class="soft small text">
                  <code>{escapeInvisibleLine(path)}</code> · {escapeInvisibleLine(source?.path ?? file)}
                  {spot === "" ? "" : `:${spot}`}
                  {nearest !== undefined && nearest.length > 0 && ` · ${texts.meant(nearest.join(", "))}`}
                </p>
              </div>
              {source?.editable && (
                <a
                  class="button small"
                  href={linkTo("policy", ["edit"], { file: source.id, line: String(line ?? 1) })}
                >
                  {texts.goToLine}
                </a>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
