// An MCP client: JSON-RPC, one message a line.
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CERCO, type World } from "./world";

interface Message {
  id?: number;
  result?: Record<string, unknown>;
  error?: unknown;
}

export class McpClient {
  private next = 0;
  private waiting = new Map<number, (message: Message) => void>();

  private constructor(private readonly host: ChildProcess) {
    if (host.stdout) {
      createInterface({ input: host.stdout }).on("line", (line) => {
        const message = JSON.parse(line) as Message;
        if (message.id !== undefined) this.waiting.get(message.id)?.(message);
      });
    }
  }

  static async start(world: World, loop: string, role: string): Promise<McpClient> {
    const host = spawn(process.execPath, [join(import.meta.dirname, "host.mjs"), CERCO, "mcp", "--loop", loop, "--role", role],
      { cwd: world.project, env: world.env(), stdio: ["pipe", "pipe", "inherit"] });
    const client = new McpClient(host);
    await client.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "e2e", version: "1" } });
    client.say({ method: "notifications/initialized" });
    return client;
  }

  async request(method: string, params: unknown): Promise<Record<string, unknown>> {
    this.next += 1;
    const id = this.next;
    const answered = new Promise<Message>((done) => this.waiting.set(id, done));
    this.say({ id, method, params });
    const { result, error } = await answered;
    if (!result) throw new Error(JSON.stringify(error));
    return result;
  }

  /** Runs a command through the tool. */
  run(command: string): Promise<{ isError: boolean; text: string }> {
    return this.call("run_command", { command });
  }

  /** Calls a tool. */
  async call(name: string, words: Record<string, unknown>): Promise<{ isError: boolean; text: string }> {
    const result = await this.request("tools/call", { name, arguments: words });
    return { isError: result.isError === true, text: JSON.stringify(result) };
  }

  close(): void {
    this.host.kill();
  }

  private say(message: Record<string, unknown>): void {
    this.host.stdin?.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  }
}
