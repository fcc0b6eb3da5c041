// An agent at the agents' door: one JSON object a line each way.
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

export interface Reply {
  id: number;
  reply: string;
  [field: string]: unknown;
}

export class Agent {
  private next = 0;
  private waiting = new Map<number, (reply: Reply) => void>();

  private constructor(private readonly socket: Socket) {
    createInterface({ input: socket }).on("line", (line) => {
      const reply = JSON.parse(line) as Reply;
      if (["started", "waiting", "output"].includes(reply.reply)) return;
      // What the door didn't understand has no number; it is about the last word.
      const id = reply.id === 0 ? this.next : reply.id;
      this.waiting.get(id)?.(reply);
      this.waiting.delete(id);
    });
  }

  static async connect(path: string, who: Record<string, string>): Promise<Agent> {
    const socket = connect(path);
    await new Promise((done, failed) => socket.once("connect", done).once("error", failed));
    const agent = new Agent(socket);
    const welcome = await agent.ask({ verb: "hello", via: "run", ...who });
    if (welcome.reply !== "welcome") throw new Error(JSON.stringify(welcome));
    return agent;
  }

  /** Says something and waits for the last word about it. */
  ask(verb: Record<string, unknown>): Promise<Reply> {
    this.next += 1;
    const id = this.next;
    const answered = new Promise<Reply>((done) => this.waiting.set(id, done));
    this.socket.write(JSON.stringify({ id, ...verb }) + "\n");
    return answered;
  }

  /** Runs a command to its last word. */
  run(command: string): Promise<Reply> {
    return this.ask({ verb: "run", command });
  }

  close(): void {
    this.socket.destroy();
  }
}
