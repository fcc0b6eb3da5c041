// Why a command is asked about or refused. A command with hundreds of files has hundreds of
// findings: a few of each kind are in front, the others one click away, so that the answers
// below stay within reach.
import { said, t } from "../text";
import type { Finding } from "../wire";
import { Sentence } from "./shown";

/** So many findings of one kind are in front. */
const FEW = 3;

export function Reasons({ findings }: { findings: Finding[] }) {
  const [front, rest] = parted(findings);
  return (
    <div class="reasons" role="group" aria-label={t("why")}>
      <ul>{front.map((finding) => <Reason finding={finding} />)}</ul>
      {rest.length > 0 && (
        <details><summary>{t("moreReasons", { count: rest.length })}</summary>
          <ul>{rest.map((finding) => <Reason finding={finding} />)}</ul></details>)}
    </div>
  );
}

function Reason({ finding }: { finding: Finding }) {
  const name = finding.kind ?? finding.rule;
  return (
    <li><b class="kind" title={name}>{said(name)}</b> <span><Sentence text={said(finding.reason)} />
      {finding.remedy && <small><Sentence text={t("remedy", { text: said(finding.remedy) })} /></small>}</span></li>
  );
}

/** The first few of each kind, and the others; one left over alone is no other. Pure. */
export function parted(findings: Finding[]): [Finding[], Finding[]] {
  const seen = new Map<string, number>();
  const front: Finding[] = [];
  const rest: Finding[] = [];
  for (const finding of findings) {
    const of = `${finding.verdict} ${finding.rule} ${finding.kind ?? ""}`;
    const count = (seen.get(of) ?? 0) + 1;
    seen.set(of, count);
    (count > FEW ? rest : front).push(finding);
  }
  return rest.length === 1 ? [findings, []] : [front, rest];
}
