// A command of ours to copy. The page never runs it.
import { useState } from "preact/hooks";
import { t } from "../text";

export function Copyable({ command }: { command: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <p class="copyable"><code>{command}</code>
      <button type="button" onClick={() => void navigator.clipboard.writeText(command).then(() => setCopied(true))}>{t(copied ? "copied" : "copy")}</button></p>
  );
}
