// Settings, readiness and roles.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Backend, Language, NetworkSetting, Settings as SettingsType, Step } from "../wire";

const BACKENDS: Backend[] = ["bubblewrap", "sandbox-exec", "wsl", "docker"];

export function Settings({ page }: { page: Page }) {
  const [draft, setDraft] = useState<SettingsType | null>(page.state.settings);
  const [saved, setSaved] = useState(false);
  useEffect(() => setDraft(page.state.settings), [page.state.settings]);
  if (!draft) return null;
  const set = (change: Partial<SettingsType>) => { setSaved(false); setDraft({ ...draft, ...change }); };
  const save = (e: Event) => { e.preventDefault(); page.attempt(api.saveSettings(draft).then(() => setSaved(true))); };
  return (
    <section>
      <h1>{t("settings")}</h1>
      <form class="settings" onSubmit={save}>
        <label class="switch"><input type="checkbox" role="switch" checked={draft.sandbox}
          onChange={(e) => set({ sandbox: e.currentTarget.checked })} />{t("sandboxSwitch")}</label>
        <p class="quiet">{t("sandboxHelp")}</p>
        <label>{t("backend")}<select value={draft.backend} onChange={(e) => set({ backend: e.currentTarget.value as Backend })}>
          {BACKENDS.map((b) => <option value={b}>{b}</option>)}</select></label>
        <label>{t("network")}<select value={draft.network} onChange={(e) => set({ network: e.currentTarget.value as NetworkSetting })}>
          {(["off", "registries_only"] as const).map((n) => <option value={n}>{t(`network_${n}`)}</option>)}</select></label>
        <label class="switch"><input type="checkbox" checked={draft.hide_secrets}
          onChange={(e) => set({ hide_secrets: e.currentTarget.checked })} />{t("hideSecrets")}</label>
        <label>{t("askSeconds")}<input type="number" min={10} max={3600} value={draft.ask_seconds}
          onInput={(e) => set({ ask_seconds: e.currentTarget.valueAsNumber })} /></label>
        <label>{t("retention")}<input type="number" min={0} value={draft.retention_days}
          onInput={(e) => set({ retention_days: e.currentTarget.valueAsNumber })} /></label>
        <label>{t("language")}<select value={draft.language} onChange={(e) => set({ language: e.currentTarget.value as Language })}>
          <option value="auto">{t("auto")}</option><option value="en">English</option><option value="es">Español</option></select></label>
        <button>{t("save")}</button> {saved && <span role="status">{t("saved")}</span>}
      </form>
      <ReadinessList page={page} />
    </section>
  );
}

function ReadinessList({ page }: { page: Page }) {
  return (
    <section aria-label={t("readiness")}>
      <h2>{t("readiness")} <button class="plain" onClick={() => page.attempt(api.checkReadiness())}>{t("checkAgain")}</button></h2>
      <ul class="readiness">
        {page.state.readiness.map((r) => (
          <li class={r.state}><b>{r.backend}</b> <span class={`verdict ${r.state}`}>{t(r.state)}</span> {r.found}
            {r.step && <FixStep step={r.step} />}</li>))}
      </ul>
    </section>
  );
}

function FixStep({ step }: { step: Step }) {
  const [copied, setCopied] = useState(false);
  const command = step.command;
  return (
    <div class="step"><p>{step.text}</p>
      {command !== null && <p><code>{command}</code> <button class="plain" type="button"
        onClick={() => navigator.clipboard.writeText(command).then(() => setCopied(true))}>{t(copied ? "copied" : "copy")}</button></p>}
    </div>
  );
}

export function Roles({ page }: { page: Page }) {
  return (
    <section>
      <h1>{t("roles")}</h1>
      <p class="quiet">{t("rolesHelp")}</p>
      <table><tbody>{page.state.roles.map((role) => (
        <tr><th scope="row">{role.name}</th><td>{role.tools.map((tool) => t(`tool_${tool}`)).join(", ")}</td>
          <td class="quiet">{role.built_in ? t("builtIn") : t("custom")}</td></tr>))}</tbody></table>
    </section>
  );
}
