import { listProfiles } from '../../app/list-profiles.ts';
import { json } from '../http/answer.ts';
import { type Api, addEndpoint, noParams } from '../http/endpoint.ts';
import { profileList, profilesQuery } from './schemas.ts';

/** `GET /profiles`: what a session gets that chooses one of them (SPEC section 15). */
export function addProfilesRoute(api: Api): void {
  const { deps } = api;
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
    responses: { 200: json('All profiles, on one page.', profileList) },
    problems: [],
    handle: async ({ query }, answer) => answer.json(200, listProfiles(deps, query.context_window)),
  });
}
