/** What is answered for other reasons: no credit, no right, too much, too often. */
const OTHERWISE: ReadonlySet<number> = new Set([401, 402, 403, 408, 413, 429]);
/** What is said where tools are refused as such, and not one call or result among the messages. */
const REFUSES =
  /support|not (?:allowed|permitted|accepted|available)|unknown|unrecogni[sz]ed|unavailable|enable|requires?\b|unexpected|"param": ?"tool/i;
const NAMES_TOOLS = /\btools?\b|\btool[_-]\w|\bfunction[ _-]?call/i;

/** Whether a provider may have refused a request for the tools in it; `text` is the beginning of its answer. */
export function mayRefuseTools(status: number, text: string): boolean {
  const isRefused = (status >= 400 && status < 500) || status === 501;
  return isRefused && !OTHERWISE.has(status) && NAMES_TOOLS.test(text) && REFUSES.test(text);
}
