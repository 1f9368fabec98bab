// The official JavaScript client: typed and untyped objects, every kind of patch, watch, informer.
import { randomBytes } from 'node:crypto';
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);
const namespace = `walk-${randomBytes(4).toString('hex')}`;
const lamps = { group: 'walk.example.com', version: 'v1', namespace, plural: 'lamps' };
const lamp = (name, spec = {}) => ({
  apiVersion: 'walk.example.com/v1', kind: 'Lamp', metadata: { name, namespace, labels: { walk: 'yes' } }, spec: { colour: 'red', ...spec },
});
const as = (type) => k8s.setHeaderOptions('Content-Type', type);
let failed = false;

async function step(name, work) {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    failed = true;
    console.log(`failed ${name}: ${JSON.stringify(String(error.message ?? error).slice(0, 300))}`);
    console.error(error);
  }
}

await step('namespace', () => core.createNamespace({ body: { metadata: { name: namespace } } }));
await step('create', async () => {
  const made = await custom.createNamespacedCustomObject({ ...lamps, body: lamp('desk') });
  assert.deepEqual(made.spec, { colour: 'red', bulbs: 1 });
});
await step('refused', async () => {
  await assert.rejects(custom.createNamespacedCustomObject({ ...lamps, body: lamp('odd', { colour: 'pink' }) }), (error) => error.code === 422);
});
await step('list', async () => {
  const found = await custom.listNamespacedCustomObject({ ...lamps, labelSelector: 'walk=yes' });
  assert.deepEqual(found.items.map((item) => item.metadata.name), ['desk']);
});
await step('watch', async () => {
  const seen = [];
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`seen in time: ${seen}`)), 20000);
    new k8s.Watch(config).watch(`/apis/walk.example.com/v1/namespaces/${namespace}/lamps`, {}, (type) => {
      seen.push(type);
      if (type === 'DELETED') { clearTimeout(timer); resolve(); }
    }, (error) => error && error.name !== 'AbortError' && reject(error)).then(async (request) => {
      await custom.createNamespacedCustomObject({ ...lamps, body: lamp('hall') });
      await custom.deleteNamespacedCustomObject({ ...lamps, name: 'hall' });
      setTimeout(() => request.abort(), 500);
    }).catch(reject);
  });
  assert.deepEqual(seen, ['ADDED', 'ADDED', 'DELETED']);
});
await step('informer', async () => {
  const informer = k8s.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () => core.listNamespacedConfigMap({ namespace }));
  const added = new Promise((resolve) => informer.on('add', (item) => item.metadata.name === 'notes' && resolve()));
  await informer.start();
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'notes' }, data: { a: '1' } } });
  await added;
  await informer.stop();
});
await step('update', async () => {
  const now = await custom.getNamespacedCustomObject({ ...lamps, name: 'desk' });
  const stale = structuredClone(now);
  now.spec.notes = { a: 'b' };
  await custom.replaceNamespacedCustomObject({ ...lamps, name: 'desk', body: now });
  stale.spec.notes = { a: 'c' };
  await assert.rejects(custom.replaceNamespacedCustomObject({ ...lamps, name: 'desk', body: stale }), (error) => error.code === 409);
});
await step('patch', async () => {
  await custom.patchNamespacedCustomObject({ ...lamps, name: 'desk', body: { spec: { bulbs: 3 } } }, as(k8s.PatchStrategy.MergePatch));
  const body = [{ op: 'replace', path: '/spec/colour', value: 'green' }];
  const now = await custom.patchNamespacedCustomObject({ ...lamps, name: 'desk', body }, as(k8s.PatchStrategy.JsonPatch));
  assert.deepEqual(now.spec, { colour: 'green', bulbs: 3, notes: { a: 'b' } });
  const notes = await core.patchNamespacedConfigMap({ namespace, name: 'notes', body: { data: { a: null, b: '2' } } }, as(k8s.PatchStrategy.StrategicMergePatch));
  assert.deepEqual(notes.data, { b: '2' });
});
await step('apply', async () => {
  const made = await objects.patch(lamp('applied'), undefined, undefined, 'walk', true, k8s.PatchStrategy.ServerSideApply);
  assert.equal(made.metadata.managedFields[0].operation, 'Apply');
});
await step('status', async () => {
  const now = await custom.patchNamespacedCustomObjectStatus({ ...lamps, name: 'desk', body: { status: { lit: 2 } } }, as(k8s.PatchStrategy.MergePatch));
  assert.equal(now.status.lit, 2);
});
await step('scale', async () => {
  const scale = await custom.getNamespacedCustomObjectScale({ ...lamps, name: 'desk' });
  assert.equal(scale.spec.replicas, 3);
  await custom.patchNamespacedCustomObjectScale({ ...lamps, name: 'desk', body: { spec: { replicas: 5 } } }, as(k8s.PatchStrategy.MergePatch));
  assert.equal((await custom.getNamespacedCustomObject({ ...lamps, name: 'desk' })).spec.bulbs, 5);
});
await step('events', async () => {
  await core.createNamespacedEvent({ namespace, body: { metadata: { generateName: 'desk-' }, reason: 'Walked', type: 'Normal', involvedObject: { kind: 'Lamp', name: 'desk', namespace } } });
  const found = await core.listNamespacedEvent({ namespace, fieldSelector: 'reason=Walked' });
  assert.equal(found.items.length, 1);
});
await step('leader election', async () => {
  const leases = config.makeApiClient(k8s.CoordinationV1Api);
  const body = { metadata: { name: 'walk' }, spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: new k8s.V1MicroTime(new Date()) } };
  const lease = await leases.createNamespacedLease({ namespace, body });
  lease.spec.holderIdentity = 'you';
  const now = await leases.replaceNamespacedLease({ namespace, name: 'walk', body: lease });
  assert.equal(now.spec.holderIdentity, 'you');
  await assert.rejects(leases.replaceNamespacedLease({ namespace, name: 'walk', body: lease }), (error) => error.code === 409);
});
await step('native', async () => {
  const labels = { app: 'walk' };
  const made = await apps.createNamespacedDeployment({ namespace, body: { metadata: { name: 'walk' }, spec: {
    selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } } } } });
  assert.equal(made.spec.strategy.type, 'RollingUpdate');
  const read = await objects.read({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'walk', namespace } });
  assert.equal(read.spec.replicas, 1);
});
await step('delete', async () => {
  await custom.deleteNamespacedCustomObject({ ...lamps, name: 'desk' });
  await custom.deleteCollectionNamespacedCustomObject({ ...lamps, labelSelector: 'walk=yes' });
  assert.equal((await custom.listNamespacedCustomObject(lamps)).items.length, 0);
});
process.exit(failed ? 1 : 0);
