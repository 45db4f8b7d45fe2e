import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readSettings } from '../../src/config.ts';
import { filesUnder, readText } from '../house/sources.ts';
import { type ManifestOf, ofKind, readManifests } from './kubernetes.ts';
import {
  API_READINESS,
  connectionsPerProcess,
  connectionsPerThread,
  knownVariables,
  LIVENESS,
  longestStopMs,
  PORT,
  statusesOf,
  WORKER_READINESS,
} from './service-facts.ts';

const files = filesUnder('deploy/kubernetes').filter(({ path }) => path.endsWith('.yaml'));
const manifests = files.flatMap(({ text }) => readManifests(text));
const deployments = ofKind(manifests, 'Deployment');
const configMaps = ofKind(manifests, 'ConfigMap');
const secrets = ofKind(manifests, 'Secret');
const budgets = ofKind(manifests, 'PodDisruptionBudget');

const ROLES = [
  ['api', API_READINESS],
  ['worker', WORKER_READINESS],
] as const;

function podOf(role: string) {
  return deploymentOf(`palimpsest-${role}`).spec.template.spec;
}

function deploymentOf(name: string): ManifestOf<'Deployment'> {
  const deployment = deployments.get(name);
  if (deployment === undefined) throw new Error(`there is no Deployment ${name}`);
  return deployment;
}

/** What the container gets, in the order in which Kubernetes applies it. */
function environmentOf(role: string): Record<string, string> {
  const [{ env, envFrom }] = podOf(role).containers;
  const sources = envFrom.map((source) =>
    'configMapRef' in source
      ? configMaps.get(source.configMapRef.name)?.data
      : secrets.get(source.secretRef.name)?.stringData,
  );
  if (sources.includes(undefined)) throw new Error(`${role} takes variables from nowhere`);
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  return Object.assign({}, ...sources, own);
}

describe('deploy/kubernetes', () => {
  test('has both roles, more than one process of each', () => {
    expect([...deployments.keys()].toSorted()).toEqual(['palimpsest-api', 'palimpsest-worker']);
    const scaled = new Map(
      [...ofKind(manifests, 'HorizontalPodAutoscaler').values()].map(({ spec }) => [
        spec.scaleTargetRef.name,
        spec.minReplicas,
      ]),
    );
    for (const [name, { spec }] of deployments) {
      // Either the autoscaler says how many, or the Deployment: both would fight.
      expect([spec.replicas, scaled.get(name)].filter((count) => count !== undefined)).toEqual([2]);
    }
  });

  test.each(ROLES)('%s: the service accepts its settings and knows all variables', (role) => {
    const environment = environmentOf(role);
    const known = knownVariables();
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
    expect(readSettings(environment)).toMatchObject({
      role,
      host: '0.0.0.0',
      port: Number(PORT),
      database: { kind: 'postgres' },
      queue: { redis_url: expect.stringMatching(/^rediss:/) },
    });
  });

  test('only the API has keys of clients, only workers have keys of models', () => {
    expect(
      Object.keys(environmentOf('worker')).filter((name) => /API_KEYS|OPERATOR/.test(name)),
    ).toEqual([]);
    expect(Object.keys(environmentOf('api')).filter((name) => name.endsWith('_API_KEY'))).toEqual(
      [],
    );
  });

  test('no variables are added for Services: the service would refuse them', () => {
    const added = { ...environmentOf('api'), PALIMPSEST_API_PORT: 'tcp://10.0.0.1:80' };
    expect(() => readSettings(added)).toThrow(/PALIMPSEST_API_PORT/);
    for (const [role] of ROLES) expect(podOf(role).enableServiceLinks).toBe(false);
  });

  test('secrets are placeholders', () => {
    const values = [...secrets.values()].flatMap(({ stringData }) => Object.values(stringData));
    expect(values.length).toBeGreaterThan(0);
    expect(values.filter((value) => !value.includes('REPLACE-ME'))).toEqual([]);
  });

  test.each(ROLES)(
    '%s: probes ask for routes that there are, at the right port',
    async (role, readiness) => {
      const [{ ports, startupProbe, livenessProbe, readinessProbe }] = podOf(role).containers;
      expect(ports).toEqual([{ name: 'http', containerPort: Number(PORT) }]);
      for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
        expect(httpGet.port).toBe('http');
      }
      expect(await statusesOf(startupProbe.httpGet.path)).toEqual(LIVENESS);
      expect(await statusesOf(livenessProbe.httpGet.path)).toEqual(LIVENESS);
      expect(await statusesOf(readinessProbe.httpGet.path)).toEqual(readiness);
    },
  );

  test.each(ROLES)('%s: may take as long to stop as the service needs', (role) => {
    const pauseMs = 5_000;
    const graceMs = podOf(role).terminationGracePeriodSeconds * 1_000;
    expect(graceMs).toBeGreaterThan(longestStopMs() + pauseMs);
  });

  test('a rolling upgrade at full scale takes the connections that docs/operations.md names', () => {
    const autoscalers = [...ofKind(manifests, 'HorizontalPodAutoscaler').values()];
    const ofPods = ROLES.map(([role]) => {
      const { metadata, spec } = deploymentOf(`palimpsest-${role}`);
      const scaler = autoscalers.find((each) => each.spec.scaleTargetRef.name === metadata.name);
      const most = scaler?.spec.maxReplicas ?? spec.replicas ?? Number.NaN;
      const threads = Number(environmentOf(role).PALIMPSEST_THREADS);
      const ofOne = connectionsPerProcess() + threads * connectionsPerThread();
      return { ofOne, ofAll: (most + spec.strategy.rollingUpdate.maxSurge) * ofOne };
    });
    const total = ofPods.reduce((sum, { ofAll }) => sum + ofAll, 0);
    const [, ofOne, ofAll, raisedTo] =
      /and (\d+) connections.*up to (\d+) connections.*`max_connections` to (\d+) for them/.exec(
        readText('docs/operations.md'),
      ) ?? [];
    expect(ofPods.map((pod) => pod.ofOne)).toEqual([Number(ofOne), Number(ofOne)]);
    expect(total).toBe(Number(ofAll));
    // PostgreSQL keeps 3 for the superuser.
    expect(total).toBeLessThanOrEqual(Number(raisedTo) - 3);
  });

  test('the image is this release, and never whatever is newest', () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readText('package.json')));
    for (const [role] of ROLES) {
      const [{ image }] = podOf(role).containers;
      expect(image.split(':').at(-1)).toBe(version);
    }
  });

  test('selectors find the pods that they are meant for', () => {
    for (const [name, { spec }] of deployments) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      expect(budgets.get(name)?.spec.selector.matchLabels).toEqual(spec.selector.matchLabels);
    }
    const [api, worker] = ROLES.map(([role]) => deploymentOf(`palimpsest-${role}`).spec);
    expect(api?.selector).not.toEqual(worker?.selector);
    const service = ofKind(manifests, 'Service').get('palimpsest-api');
    expect(service?.spec.selector).toEqual(api?.template.metadata.labels);
    expect(service?.spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
  });
});

describe('readManifests', () => {
  const worker = readText('deploy/kubernetes/worker.yaml');

  test.each([
    [
      'a root file system that can be written',
      'readOnlyRootFilesystem: true',
      'readOnlyRootFilesystem: false',
    ],
    ['root', 'runAsUser: 1000', 'runAsUser: 0'],
    ['a container without limits', 'memory: 1Gi', ''],
    ['a Deployment of an old version', 'apps/v1', 'apps/v1beta1'],
  ])('refuses %s', (_, right, wrong) => {
    expect(worker).toContain(right);
    expect(() => readManifests(worker.replace(right, wrong))).toThrow(z.ZodError);
  });
});
