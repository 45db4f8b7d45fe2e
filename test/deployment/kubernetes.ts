import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const labels = z.record(z.string(), z.string());
const metadata = z.object({ name: z.string() });
const selector = z.object({ matchLabels: labels });

const probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
  periodSeconds: z.number(),
});

const container = z.object({
  image: z.string(),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  envFrom: z.array(
    z.union([
      z.strictObject({ configMapRef: z.object({ name: z.string() }) }),
      z.strictObject({
        secretRef: z.object({ name: z.string(), optional: z.boolean().optional() }),
      }),
    ]),
  ),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ memory: z.string() }),
  }),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});

const deployment = z.object({
  kind: z.literal('Deployment'),
  apiVersion: z.literal('apps/v1'),
  metadata,
  spec: z.object({
    replicas: z.number().optional(),
    selector,
    strategy: z.object({ rollingUpdate: z.object({ maxSurge: z.number() }) }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        enableServiceLinks: z.boolean().default(true),
        terminationGracePeriodSeconds: z.number().default(30),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number().min(1) }),
        containers: z.tuple([container]),
      }),
    }),
  }),
});

const manifestSchema = z.discriminatedUnion('kind', [
  deployment,
  z.object({
    kind: z.literal('ConfigMap'),
    apiVersion: z.literal('v1'),
    metadata,
    // Strings only, as Kubernetes wants them: an unquoted number is refused.
    data: z.record(z.string(), z.string()),
  }),
  z.object({
    kind: z.literal('Secret'),
    apiVersion: z.literal('v1'),
    metadata,
    stringData: z.record(z.string(), z.string()),
  }),
  z.object({
    kind: z.literal('Service'),
    apiVersion: z.literal('v1'),
    metadata,
    spec: z.object({
      selector: labels,
      ports: z.array(z.object({ port: z.number(), targetPort: z.string() })),
    }),
  }),
  z.object({
    kind: z.literal('PodDisruptionBudget'),
    apiVersion: z.literal('policy/v1'),
    metadata,
    spec: z.object({ selector, maxUnavailable: z.number() }),
  }),
  z.object({
    kind: z.literal('HorizontalPodAutoscaler'),
    apiVersion: z.literal('autoscaling/v2'),
    metadata,
    spec: z.object({
      scaleTargetRef: z.object({
        apiVersion: z.literal('apps/v1'),
        kind: z.literal('Deployment'),
        name: z.string(),
      }),
      minReplicas: z.number(),
      maxReplicas: z.number(),
    }),
  }),
]);

export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestOf<K extends Manifest['kind']> = Extract<Manifest, { kind: K }>;

/** All objects of a file; throws on one that is not of the kinds and shapes that the example uses. */
export function readManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return manifestSchema.parse(document.toJS());
  });
}

/** The manifests of one kind, by their name. */
export function ofKind<K extends Manifest['kind']>(
  manifests: readonly Manifest[],
  kind: K,
): Map<string, ManifestOf<K>> {
  const isOfKind = (manifest: Manifest): manifest is ManifestOf<K> => manifest.kind === kind;
  return new Map(manifests.filter(isOfKind).map((manifest) => [manifest.metadata.name, manifest]));
}
