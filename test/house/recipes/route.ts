import type { Recipe } from './recipe.ts';

const ROUTE = `import { z } from '@hono/zod-openapi';
import { noQuery } from '../http/endpoint.ts';

const profileNames = z.object({ names: z.array(z.string()) }).openapi('ProfileNames');

/** \`GET /profiles/names\`. */
export function addProfileNamesRoute(api: Api): void {
  addEndpoint(api, {
    method: 'get',
    path: '/profiles/names',
    operationId: 'listProfileNames',
    tag: 'Profiles',
    summary: 'The names of the profiles',
    params: noParams,
    query: noQuery,
    responses: { 200: json('Their names.', profileNames) },
    problems: [],
    handle: async (_call, answer) => {
      const { data } = listProfiles(api.deps);
      return answer.json(200, { names: data.map(({ name }) => name) });
    },
  });
}
`;

export const route: Recipe = {
  name: 'A route',
  most: 2,
  steps: [
    {
      path: 'src/api/profiles/routes.ts',
      kind: 'first',
      change: {
        after: "import { profileList, profilesQuery } from './schemas.ts';\n",
        insert: ROUTE,
      },
    },
    {
      path: 'src/api/create-app.ts',
      kind: 'further',
      change: [
        {
          after: "import { addProfilesRoute } from './profiles/routes.ts';\n",
          insert: "import { addProfileNamesRoute } from './profiles/routes.ts';\n",
        },
        { after: '  addProfilesRoute(api);\n', insert: '  addProfileNamesRoute(api);\n' },
      ],
    },
  ],
};
