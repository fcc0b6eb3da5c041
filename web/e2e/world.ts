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

export class World {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "cerco-page-")));
  readonly project = join(this.root, "shop");
  private gateway: ChildProcess | null = null;
  private agents: Agent[] = [];

  /** `path` is what the gateway finds programs in. */
  constructor(private readonly path = process.env.PATH ?? "") {
    for (const folder of ["config", "state", "cache"]) mkdirSync(join(this.root, folder));
    mkdirSync(join(this.root, "run"), { mode: 0o700 });
    for (const folder of ["loops/site", "loops/api"]) mkdirSync(join(this.project, folder), { recursive: true });
    writeFileSync(join(this.project, "loops/site/old.txt"), "old\n");
    execFileSync("git", ["init", "-q", "."], { cwd: this.project });
    this.cerco("init", "--loop", "loops/site", "--loop", "loops/api");
  }

  /** The environment of everything in this world. */
  env(): NodeJS.ProcessEnv {
    const at = (folder: string) => join(this.root, folder);
    return {
      PATH: this.path, HOME: process.env.HOME ?? "/", LANG: "C.UTF-8", SHELL: "/bin/bash",
      GIT_CONFIG_COUNT: "2", GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "A Bubble",
      GIT_CONFIG_KEY_1: "user.email", GIT_CONFIG_VALUE_1: "bubble@localhost",
      XDG_CONFIG_HOME: at("config"), XDG_STATE_HOME: at("state"), XDG_CACHE_HOME: at("cache"), XDG_RUNTIME_DIR: at("run"),
    };
  }

  /** Runs the command line in the project. */
  cerco(...args: string[]): string {
    return execFileSync(CERCO, args, { cwd: this.project, env: this.env(), encoding: "utf8" });
  }

  /** Starts the gateway and gives the address with the one-time code. */
  async start(): Promise<string> {
    const gateway = spawn(CERCO, ["up", "--foreground"], { cwd: this.project, env: this.env(), stdio: ["ignore", "pipe", "pipe"] });
    this.gateway = gateway;
    let said = "";
    gateway.stderr.on("data", (text) => { said += String(text); });
    return new Promise((found, failed) => {
      const late = setTimeout(() => failed(new Error(`the gateway said no address in ${START_MS} ms: ${said}`)), START_MS);
      const look = (line: string) => {
        said += line + "\n";
        const address = /http:\/\/127\.0\.0\.1:\d+\/#c=[\w-]+/.exec(line)?.[0];
        if (address === undefined) return;
        clearTimeout(late);
        found(address);
      };
      createInterface({ input: gateway.stdout }).on("line", look);
      gateway.on("exit", (code) => { clearTimeout(late); failed(new Error(`the gateway ended (${code}): ${said}`)); });
    });
  }

  /** An agent of a loop, at the agents' door. */
  async agent(loop = "loops/site", role = "Coder", host = "test-host"): Promise<Agent> {
    const agent = await Agent.connect(join(this.root, "run/cerco/gateway.sock"), { host, project: this.project, loop_folder: loop, role });
    this.agents.push(agent);
    return agent;
  }

  /** Ends the gateway as a crash would, if `signal` says so. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const gateway = this.gateway;
    this.gateway = null;
    if (!gateway || gateway.exitCode !== null) return;
    const ended = new Promise((done) => gateway.once("exit", done));
    gateway.kill(signal);
    await ended;
  }

  async close(): Promise<void> {
    for (const agent of this.agents) agent.close();
    await this.stop("SIGKILL");
    rmSync(this.root, { recursive: true, force: true });
  }
}
