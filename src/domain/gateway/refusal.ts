/** A request that is answered here, since it cannot go upstream as it is meant. */
export type Refusal = {
  status: 400;
  code: string;
  message: string;
  param?: string;
  /** What a client reads to go on in another way. */
  details?: { error_code: string; unsupported: string[] };
};

/** Of a compaction item of ours that nobody can read any more. */
export function unreadableItem({ param, message }: { param: string; message: string }): Refusal {
  return { status: 400, code: 'invalid_encrypted_content', param, message };
}

/**
 * Of a conversation that the provider is to keep: it would send only what is new. In these words the SDK
 * of Anthropic goes on by itself and sends all of it.
 */
export function serverSideThread(): Refusal {
  return {
    status: 400,
    code: 'thread_unsupported_request',
    message: 'threads at the provider are not supported through this gateway: send all messages',
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  };
}
