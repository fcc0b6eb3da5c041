// Whether each backend can be used here now, and the ONE step where it can't. Cerco never
// runs that step.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { said, t } from "../text";
import type { Step } from "../wire";
import { Copyable } from "./copyable";

export function Readiness({ page }: { page: Page }) {
  const [checking, setChecking] = useState(false);
  const check = () => {
    setChecking(true);
    page.attempt(api.checkReadiness().finally(() => setChecking(false)));
  };
  return (
    <section class="card" aria-label={t("readiness")}>
      <header class="head"><h2>{t("readiness")}</h2>
        <button type="button" disabled={checking} onClick={check}>{t(checking ? "checking" : "checkAgain")}</button></header>
      <ul class="readiness">
        {page.state.readiness.map((r) => (
          <li data-backend={r.backend}>
            <b>{r.backend}</b> <span class={`verdict ${r.state}`}>{t(r.state)}</span> <span class="quiet">{r.found && said(r.found)}</span>
            {r.step && <FixStep step={r.step} />}
          </li>))}
      </ul>
    </section>
  );
}

/** The one step, with its command to copy. */
export function FixStep({ step }: { step: Step }) {
  return (
    <div class="step" data-step={step.id}>
      <p>{said(step.text)}</p>
      {step.command !== null && <Copyable command={step.command} />}
    </div>
  );
}
