// The self-test: real attempts to get out of the sandbox on this machine, and what held.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { said, t } from "../text";
import type { SelfTest as Result, SelfTestOutcome } from "../wire";
import { FixStep } from "./readiness";

const MARKS = { holds: "✓", broken: "✕", unknown: "?" } as const;
const VERDICTS = { holds: "allowed", broken: "refused", unknown: "asked" } as const;

export function SelfTest({ page }: { page: Page }) {
  const [result, setResult] = useState<Result | null>(null);
  const [trying, setTrying] = useState(false);
  const run = () => {
    setTrying(true);
    page.attempt(api.selfTest().then(setResult).finally(() => setTrying(false)));
  };
  return (
    <section class="card" aria-label={t("selfTest")}>
      <header class="head"><h2>{t("selfTest")}</h2>
        <button type="button" disabled={trying} onClick={run}>{t(trying ? "selfTestRuns" : "selfTestRun")}</button></header>
      <p class="quiet">{t("selfTestHelp")}</p>
      <div role="status">{result && <Summary result={result} />}</div>
      {result && result.outcomes.length > 0 && <Outcomes outcomes={result.outcomes} />}
    </section>
  );
}

function Summary({ result }: { result: Result }) {
  const { holds, outcomes, not_ready } = result;
  if (not_ready) {
    return <><p class="refused">{t("selfTestNotTried", { why: not_ready.found ? said(not_ready.found) : "" })}</p>
      {not_ready.step && <FixStep step={not_ready.step} />}</>;
  }
  const held = outcomes.filter((o) => o.state === "holds").length;
  return <p class={holds ? "good" : "refused"}><b>{t(holds ? "selfTestHolds" : "selfTestBroken", { held, all: outcomes.length })}</b></p>;
}

// What doesn't hold stands in front; the rest is there for who wants to see it.
function Outcomes({ outcomes }: { outcomes: SelfTestOutcome[] }) {
  const bad = outcomes.filter((o) => o.state !== "holds");
  const good = outcomes.filter((o) => o.state === "holds");
  return (
    <>
      {bad.length > 0 && <List outcomes={bad} />}
      {good.length > 0 && <details><summary>{t("selfTestHeld", { count: good.length })}</summary><List outcomes={good} /></details>}
    </>
  );
}

function List({ outcomes }: { outcomes: SelfTestOutcome[] }) {
  return (
    <ul class="parts">{outcomes.map((o) => (
      <li key={o.id}><span class={`mark ${VERDICTS[o.state]}`} aria-hidden="true">{MARKS[o.state]}</span>
        <span>{said(o.what)} <span class="unseen">{t(`selfTest_${o.state}`)}</span>{o.found && <small>{said(o.found)}</small>}</span></li>))}</ul>
  );
}
