/** What an error says. Never for the log: it may quote what somebody said in a conversation. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
