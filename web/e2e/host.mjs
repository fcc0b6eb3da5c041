// A host as the gateway sees one: the process that starts `cerco mcp`. It is a process of
// its own because everything below a host is an agent, and the test's browser must not be.
import { spawn } from "node:child_process";
const [program, ...words] = process.argv.slice(2);
const child = spawn(program, words, { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 1));
process.on("SIGTERM", () => child.kill());
