// The Spanish sentences of the crates: text that a page in Spanish loads once.
import filter from "../../../crates/cerco-filter/spanish.txt?url";
import gateway from "../../../crates/cerco-gateway/spanish.txt?url";
import { parsed, type Sentence } from "./sentences";

export async function spanish(): Promise<Sentence[]> {
  const read = async (address: string) => (await fetch(address)).text();
  return parsed((await Promise.all([filter, gateway].map(read))).join("\n\n"));
}
