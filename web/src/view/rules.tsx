// The custom rules that count, with the file that each stands in. They are changed there:
// a rule that a page could write, a page could be talked into writing.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { said, t } from "../text";
import type { RuleFile } from "../wire";

export function CustomRules({ page }: { page: Page }) {
  const [files, setFiles] = useState<RuleFile[] | null>(null);
  const load = () => page.attempt(api.rules().then(setFiles));
  useEffect(load, []);
  return (
    <section class="card" aria-label={t("customRules")}>
      <header class="head"><h2>{t("customRules")}</h2><button type="button" onClick={load}>{t("readAgain")}</button></header>
      <p class="quiet">{t("customRulesHelp")}</p>
      {files?.map((file) => <File key={file.path} file={file} />)}
    </section>
  );
}

function File({ file }: { file: RuleFile }) {
  const allows = [...file.kinds, ...file.hosts];
  return (
    <div class="rule-file">
      <h3><code>{file.path}</code> <span class="quiet">{t(`level_${file.level}`)}</span></h3>
      {file.errors.map((error) => (
        <p class="refused" role="status">{error.line !== null && <b>{t("line", { line: error.line })} </b>}{said(error.text)}</p>))}
      <ul class="reasons">{file.rules.map((rule) => (
        <li><span class={`verdict ${rule.verdict}`}>{t(`verdict_${rule.verdict}`)}</span> <code>{rule.about}</code>
          <span>{rule.reason} <small>{rule.id}</small></span></li>))}</ul>
      {allows.length > 0 && <p>{t("allowsToo", { what: allows.join(", ") })}</p>}
    </div>
  );
}
