import { PROFILE_DESCRIPTIONS } from '../domain/policy/profile-descriptions.ts';
import {
  DEFAULT_CONTEXT_WINDOW,
  PROFILES,
  resolveConfig,
  windowProblem,
} from '../domain/policy/profiles.ts';
import type { Ports } from './ports/ports.ts';

/** What a session gets that chooses one of the profiles, for a window in tokens (SPEC section 15). */
export function listProfiles(
  { world: { server } }: Pick<Ports, 'world'>,
  context_window = DEFAULT_CONTEXT_WINDOW,
) {
  const data = PROFILES.map((name) => {
    const config = resolveConfig({ profile: name, context_window, server, session: {} });
    return {
      name,
      description: PROFILE_DESCRIPTIONS[name],
      context_window,
      config,
      problem: windowProblem(config, context_window),
    };
  });
  return { data, next_cursor: null };
}
