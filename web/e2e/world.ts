// A world of its own for each test: folders, a project with loops, a gateway, agents.
// Everything, settings and journal included, lies in one folder that goes at the end.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Agent } from "./agent";

/** The product's own binary; `make test` says which. */
export const CERCO = resolve(process.env.CERCO ?? "../target/debug/cerco");
const START_MS = 30_000;

export interface WorldOptions {
  /** What a person set before: the text of config.toml. */
  settings?: string;
  /** The gateway finds no bubblewrap. */
  withoutBubblewrap?: boolean;
  /** Makes what is needed and gives variables for everything in this world. */
  environment?: (world: World) => NodeJS.ProcessEnv;
}

/** Where Debian has it. It is found by place and not by PATH, so the place has to be empty. */
const BUBBLEWRAP = "/usr/bin/bwrap";

/** A command line that runs another one in a mount namespace where a file is not to be had. */
function hidden(file: string, command: string): string {
  const alone = process.getuid?.() === 0 ? "unshare -m" : "unshare -rm";
  return `${alone} sh -c "mount --bind /dev/null ${file} && exec ${command}"`;
}

export class World {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "cerco-page-")));
  readonly project = join(this.root, "shop");
  private readonly withoutBubblewrap: boolean;
  private own: NodeJS.ProcessEnv = {};
  private gateway: { pid: number; terminal: ChildProcess } | null = null;
  private agents: Agent[] = [];

  constructor({ settings = "", withoutBubblewrap = false, environment }: WorldOptions = {}) {
    this.withoutBubblewrap = withoutBubblewrap;
    this.own = environment?.(this) ?? {};
    for (const folder of ["config", "state", "cache", "home"]) mkdirSync(join(this.root, folder));
    mkdirSync(join(this.root, "run"), { mode: 0o700 });
    for (const folder of ["loops/site", "loops/api"]) mkdirSync(join(this.project, folder), { recursive: true });
    writeFileSync(join(this.project, "loops/site/old.txt"), "old\n");
    for (const words of [["init", "-q", "."], ["config", "user.name", "A Bubble"], ["config", "user.email", "bubble@localhost"]]) {
      execFileSync("git", words, { cwd: this.project, env: this.env() });
    }
    mkdirSync(join(this.root, "config/cerco"), { mode: 0o700 });
    if (settings) writeFileSync(join(this.root, "config/cerco/config.toml"), settings);
    this.cerco("init", "--loop", "loops/site", "--loop", "loops/api");
  }

  /** The environment of everything in this world. */
  env(): NodeJS.ProcessEnv {
    const at = (folder: string) => join(this.root, folder);
    return {
      PATH: process.env.PATH, HOME: at("home"), LANG: "C.UTF-8", SHELL: "/bin/bash",
      XDG_CONFIG_HOME: at("config"), XDG_STATE_HOME: at("state"), XDG_CACHE_HOME: at("cache"), XDG_RUNTIME_DIR: at("run"), ...this.own,
    };
  }

  /** Runs the command line in the project. */
  cerco(...args: string[]): string {
    return execFileSync(CERCO, args, { cwd: this.project, env: this.env(), encoding: "utf8" });
  }

  /** Starts the gateway and gives the address with the one-time code. */
  async start(): Promise<string> {
    // The link is for a person at a terminal; `script` is one.
    const serve = `'${CERCO}' up --foreground --no-browser`;
    const up = this.withoutBubblewrap ? hidden(BUBBLEWRAP, serve) : serve;
    const terminal = spawn("script", ["-qefc", up, "/dev/null"], { cwd: this.project, env: this.env(), stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    const address = await new Promise<string>((found, failed) => {
      const late = setTimeout(() => failed(new Error(`the gateway said no address in ${START_MS} ms: ${said}`)), START_MS);
      createInterface({ input: terminal.stdout }).on("line", (line) => {
        said += line + "\n";
        const link = /http:\/\/127\.0\.0\.1:\d+\/#c=[\w-]+/.exec(line)?.[0];
        if (link === undefined) return;
        clearTimeout(late);
        found(link);
      });
      terminal.on("exit", (code) => { clearTimeout(late); failed(new Error(`the gateway ended (${code}): ${said}`)); });
    });
    const status = JSON.parse(this.cerco("status", "--json")) as { pid?: number; status?: { pid: number } };
    this.gateway = { pid: status.pid ?? status.status?.pid ?? 0, terminal };
    return address;
  }

  /** An agent of a loop, at the agents' door. */
  async agent(loop = "loops/site", role = "Coder", host = "test-host", project = this.project): Promise<Agent> {
    const agent = await Agent.connect(join(this.root, "run/cerco/gateway.sock"), { host, project, loop_folder: loop, role });
    this.agents.push(agent);
    return agent;
  }

  /** Ends the gateway, and waits until it is gone. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const { gateway } = this;
    if (!gateway) return;
    this.gateway = null;
    const ended = new Promise((done) => gateway.terminal.once("exit", done));
    process.kill(gateway.pid, signal);
    await ended;
  }

  async close(): Promise<void> {
    for (const agent of this.agents) agent.close();
    await this.stop("SIGKILL");
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
