// The Spanish sentences of the crates: a chunk of its own, loaded by a page in Spanish.
import filter from "../../../crates/cerco-filter/spanish.txt?raw";
import gateway from "../../../crates/cerco-gateway/spanish.txt?raw";
import { parsed } from "./sentences";

export const sentences = parsed(`${filter}\n\n${gateway}`);
