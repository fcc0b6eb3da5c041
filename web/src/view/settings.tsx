// Settings, and whether what they need is ready.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Backend, Language, NetworkSetting, Settings as SettingsType, SettingsChange } from "../wire";
import { DockerImage } from "./docker-image";
import { HiddenSecrets } from "./hidden-secrets";
import { NETWORKS, Networks } from "./networks";
import { Readiness } from "./readiness";
import { CustomRules } from "./rules";
import { SelfTest } from "./self-test";
import { AskStatistics } from "./statistics";

const BACKENDS: Backend[] = ["bubblewrap", "sandbox-exec", "wsl", "docker"];

export function Settings({ page }: { page: Page }) {
  const settings = page.state.settings;
  // Only what was changed here is saved: another window may have changed the rest meanwhile.
  const [changes, setChanges] = useState<SettingsChange>({});
  const [saved, setSaved] = useState(false);
  useEffect(() => setChanges((before) => differing(before, settings)), [settings]);
  if (!settings) return null;
  const draft = { ...settings, ...changes };
  const set = (change: SettingsChange) => { setSaved(false); setChanges({ ...changes, ...change }); };
  const save = (e: Event) => { e.preventDefault(); page.attempt(api.saveSettings(changes).then(() => setSaved(true))); };
  const backend = page.state.readiness.find((r) => r.backend === draft.backend);
  return (
    <div class="settings">
      <h1>{t("settings")}</h1>
      <form onSubmit={save}>
        <section class="card">
          <label class="switch"><input type="checkbox" role="switch" checked={draft.sandbox}
            onChange={(e) => set({ sandbox: e.currentTarget.checked })} /><b>{t("sandboxSwitch")}</b></label>
          <p class="quiet">{t("sandboxHelp")}</p>
          {draft.sandbox && backend && backend.state !== "ready" && <p class="warn" role="status">{t("sandboxNotReady", { backend: draft.backend })}</p>}
          <label class="field">{t("backend")}<select value={draft.backend} onChange={(e) => set({ backend: e.currentTarget.value as Backend })}>
            {BACKENDS.map((b) => <option value={b} disabled={b !== draft.backend && isUnsupported(page, b)}>{b}{isUnsupported(page, b) && ` (${t("unsupported")})`}</option>)}</select></label>
          <label class="field">{t("network")}<select value={draft.network} onChange={(e) => set({ network: e.currentTarget.value as NetworkSetting })}>
            {NETWORKS.map((n) => <option value={n}>{t(`network_${n}`)}</option>)}</select></label>
          <label class="switch"><input type="checkbox" checked={draft.hide_secrets}
            onChange={(e) => set({ hide_secrets: e.currentTarget.checked })} />{t("hideSecrets")}</label>
        </section>
        <Readiness page={page} />
        <section class="card">
          <label class="field">{t("askSeconds")}<input type="number" min={10} max={3600} required value={draft.ask_seconds}
            onInput={(e) => set({ ask_seconds: e.currentTarget.valueAsNumber })} /></label>
          <label class="field">{t("retention")}<input type="number" min={0} required value={draft.retention_days}
            onInput={(e) => set({ retention_days: e.currentTarget.valueAsNumber })} /></label>
          <label class="field">{t("language")}<select value={draft.language} onChange={(e) => set({ language: e.currentTarget.value as Language })}>
            <option value="auto">{t("auto")}</option><option value="en">English</option><option value="es">Español</option></select></label>
          <Notifications />
        </section>
        <p class="save"><button class="main">{t("save")}</button> {saved && <span role="status">{t("saved")}</span>}</p>
      </form>
      <Networks page={page} />
      <HiddenSecrets page={page} />
      <DockerImage page={page} />
      <SelfTest page={page} />
      <CustomRules page={page} />
      <AskStatistics page={page} />
    </div>
  );
}

const differing = (changes: SettingsChange, settings: SettingsType | null): SettingsChange =>
  Object.fromEntries(Object.entries(changes).filter(([key, value]) => settings?.[key as keyof SettingsType] !== value));

const isUnsupported = (page: Page, backend: Backend) =>
  page.state.readiness.some((r) => r.backend === backend && r.state === "unsupported");

// The browser asks the person; the page only says that it would like to.
function Notifications() {
  const [state, setState] = useState("Notification" in window ? Notification.permission : "denied");
  return (
    <p class="field"><span>{t("notify")}</span>
      {state === "default"
        ? <button type="button" onClick={() => void Notification.requestPermission().then(setState)}>{t("notifyAllow")}</button>
        : <span class="quiet">{t(state === "granted" ? "notifyOn" : "notifyOff")}</span>}</p>
  );
}
