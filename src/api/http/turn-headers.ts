/** How a turn went, and where it stands in the log; without a session, nowhere. */
type Told = { status: string; session?: { id: string; version: number } };

/** What our answers say of the turn. */
export function turnHeaders({ status, session }: Told): Record<string, string> {
  return {
    'palimpsest-status': status,
    ...(session !== undefined && {
      'palimpsest-session': session.id,
      'palimpsest-version': String(session.version),
    }),
  };
}
