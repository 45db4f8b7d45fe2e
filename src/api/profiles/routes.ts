import { PROFILE_DESCRIPTIONS } from '../../domain/policy/profile-descriptions.ts';
import {
  DEFAULT_CONTEXT_WINDOW,
  PROFILES,
  resolveConfig,
  windowProblem,
} from '../../domain/policy/profiles.ts';
import { type Api, addEndpoint, noParams } from '../http/endpoint.ts';
import { profileList, profilesQuery } from './schemas.ts';

/** `GET /profiles`: what a session gets that chooses one of them (SPEC section 15). */
export function addProfilesRoute(api: Api): void {
  const { server } = api.deps.world;
  addEndpoint(api, {
    method: 'get',
    path: '/profiles',
    operationId: 'listProfiles',
    tag: 'Profiles',
    summary: 'Every profile with its full configuration',
    description:
      'The configuration is the one in force for a session without overrides of its own: the values ' +
      'of the profile for the window, with the overrides of the server.',
    params: noParams,
    query: profilesQuery,
    responses: {
      200: {
        description: 'All profiles, on one page.',
        content: { 'application/json': { schema: profileList } },
      },
    },
    problems: [],
    handle: async ({ c, query }) => {
      const { context_window = DEFAULT_CONTEXT_WINDOW } = query;
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
      return c.json({ data, next_cursor: null });
    },
  });
}
