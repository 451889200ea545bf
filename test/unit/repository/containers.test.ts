// Goal: the files for containers fit the service and each other. Method: read them; every name, port,
// path and setting in them exists where it is used. (No container runs here.)
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { roles } from '../../../proto/ids.ts'
import { settingsTable } from '../../../runtime/config/config.ts'
import { isOlder } from '../../../runtime/store/nats/connection.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'

const folder = join(packageRoot, 'runtime', 'deploy', 'containers')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

const commands = ['up', ...roles]
/** Of the gateway, nats-server and the node agent's data port. */
const ports = [8080, 4222, 7070]
const settings = new Set(Object.keys(settingsTable))
const routes = readFileSync(join(packageRoot, 'gateway/service/routes.ts'), 'utf8')

const isPinned = (image: string) => /^(troupe:local|[\w./-]+:\d[\w.-]*)$/.test(image)

t.test('the image has every package of the list, nats-server pinned, and no root', async (t) => {
  const dockerfile = read('Dockerfile')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)([^\n]+) \S+$/gm)]
  for (const [, sources = ''] of copied) {
    for (const source of sources.split(' ')) t.ok(existsSync(join(packageRoot, source)), source)
  }
  t.match(dockerfile, '$1 == "service" || $1 == "desktop"')
  const [, nats = ''] = /NATS_SERVER_VERSION=([\d.]+)/.exec(dockerfile) ?? []
  t.notOk(
    isOlder(nats, [2, 10, 27]),
    'acknowledged writes are on the disk, and a cluster may use it',
  )
  t.match(dockerfile, /^USER 10001:10001$/m)
  t.match(dockerfile, 'ENTRYPOINT ["tini", "--", "troupe"]\nCMD ["up"]')
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  t.ok(
    bases.every((image) => /^node:\d+-\w+-slim$/.test(image!)),
    String(bases),
  )
  for (const [, path = ''] of dockerfile.matchAll(/\/opt\/troupe\/(runtime\/[\w./-]+\.sh)/g)) {
    t.ok(existsSync(join(packageRoot, path)), path)
  }
  const [, variables = ''] = /^ENV (.*)$/m.exec(dockerfile) ?? []
  const names = [...variables.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name!)
  t.same(
    names.filter((name) => !settings.has(name)),
    ['NODE_ENV'],
  )
  t.match(read('healthcheck.sh'), '/health/live')
  const workflow = readFileSync(join(packageRoot, '.github/workflows/container.yml'), 'utf8')
  t.match(workflow, '--file runtime/deploy/containers/Dockerfile')
})

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      image: z.string().refine(isPinned),
      command: z.array(z.string()),
      entrypoint: z.array(z.string()).optional(),
      build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
      environment: z.record(z.string(), z.string()).default({}),
      volumes: z.array(z.string()).default([]),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
})

t.test('the compose files name what exists', async (t) => {
  const files = readdirSync(folder).filter((name) => /^compose.*\.yaml$/.test(name))
  t.same(files.sort(), ['compose.three-hosts.yaml', 'compose.yaml'])
  for (const file of files) {
    const { services, volumes } = composeSchema.parse(parse(read(file), { merge: true }))
    const used = new Set<string>()
    for (const [name, service] of Object.entries(services)) {
      const { build, image, entrypoint } = service
      if (image === 'troupe:local' && !entrypoint) {
        t.ok(commands.includes(service.command[0]!), `${name} runs a command of troupe`)
        const wrong = Object.keys(service.environment).filter((one) => !settings.has(one))
        t.same(wrong, [], `settings of ${name}`)
      }
      if (build) t.ok(existsSync(join(folder, build.context, build.dockerfile)))
      for (const other of Object.keys(service.depends_on)) t.ok(services[other], other)
      for (const volume of service.volumes) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('.')) t.ok(existsSync(join(folder, source)), source)
        else if (!source.startsWith('/')) used.add(source)
      }
    }
    t.same([...used].sort(), Object.keys(volumes).sort(), `volumes of ${file}`)
  }
  t.match(read('Caddyfile'), 'reverse_proxy troupe:8080')
})

const named = z.looseObject({ name: z.string() })
const probe = z
  .looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }).optional() })
  .optional()
const containerSchema = z.looseObject({
  image: z.string().refine(isPinned),
  args: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  env: z.array(named).default([]),
  envFrom: z.array(z.object({ secretRef: named })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  ...{ startupProbe: probe, livenessProbe: probe, readinessProbe: probe },
  volumeMounts: z.array(named),
})
const podSchema = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    containers: z.array(containerSchema).length(1),
    volumes: z
      .array(named.extend({ secret: z.object({ secretName: z.string() }).optional() }).loose())
      .default([]),
    securityContext: z.looseObject({ runAsUser: z.literal(10001), runAsNonRoot: z.literal(true) }),
  }),
})
const workloadSchema = z.object({
  kind: z.enum(['Deployment', 'StatefulSet']),
  metadata: named,
  spec: z.looseObject({
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: podSchema,
    volumeClaimTemplates: z.array(z.looseObject({ metadata: named })).default([]),
  }),
})
const serviceSchema = z.object({
  kind: z.literal('Service'),
  metadata: named,
  spec: z.looseObject({
    selector: z.record(z.string(), z.string()),
    ports: z.array(z.looseObject({ targetPort: z.string() })),
  }),
})
const manifestsSchema = z.array(z.discriminatedUnion('kind', [workloadSchema, serviceSchema]))
type Manifest = z.infer<typeof manifestsSchema>[number]
type Workload = z.infer<typeof workloadSchema>

const isIn = (part: Readonly<Record<string, string>>, whole: Readonly<Record<string, string>>) =>
  Object.entries(part).every(([name, value]) => whole[name] === value)

t.test('the manifests for Kubernetes fit together', async (t) => {
  for (const file of readdirSync(join(folder, 'kubernetes'))) {
    const text = read(`kubernetes/${file}`)
    // As kubectl reads it.
    const documents = parseAllDocuments(text, { version: '1.1' }).map((one): unknown => one.toJS())
    const manifests: readonly Manifest[] = manifestsSchema.parse(documents)
    const workloads = manifests.filter((one): one is Workload => one.kind !== 'Service')
    const pods = workloads.map(({ spec }) => spec.template)
    const documented = [...read('kubernetes/core.yaml').matchAll(/generic (\S+)/g)]
    documented.push(...text.matchAll(/generic (\S+)/g))
    const secrets = new Set(documented.map(([, name]) => name))
    for (const one of manifests) {
      if (one.kind !== 'Service') checkWorkload(t, one, secrets)
      else {
        const pod = pods.find(({ metadata }) => isIn(one.spec.selector, metadata.labels))
        t.ok(pod, `${file}: ${one.metadata.name} has pods`)
        const open = pod?.spec.containers[0]!.ports.map(({ name }) => name) ?? []
        for (const { targetPort } of one.spec.ports) t.ok(open.includes(targetPort), targetPort)
      }
    }
  }
})

function checkWorkload(t: Test, { metadata, spec }: Workload, secrets: Set<string | undefined>) {
  const { template, selector, volumeClaimTemplates } = spec
  const [container] = template.spec.containers
  const { args, command, env, envFrom, volumeMounts } = container!
  t.ok(isIn(selector.matchLabels, template.metadata.labels), `${metadata.name} selects its pods`)
  t.ok(args ? commands.includes(args[0]!) : command?.includes('nats-server'), metadata.name)
  const unknown = env.map(({ name }) => name).filter((name) => !settings.has(name))
  t.same(unknown, [], `settings of ${metadata.name}`)
  for (const { containerPort } of container!.ports) t.ok(ports.includes(containerPort))
  for (const probe of [container!.startupProbe, container!.livenessProbe]) checkPath(t, probe)
  checkPath(t, container!.readinessProbe)
  const volumes = [...template.spec.volumes, ...volumeClaimTemplates.map((one) => one.metadata)]
  const wanted = volumeMounts.map(({ name }) => name)
  t.same(wanted.sort(), volumes.map(({ name }) => name).sort(), `volumes of ${metadata.name}`)
  const used = [...envFrom.map(({ secretRef }) => secretRef.name)]
  for (const { secret } of template.spec.volumes) if (secret) used.push(secret.secretName)
  for (const name of used) t.ok(secrets.has(name), `the file says how to make ${name}`)
}

function checkPath(t: Test, found: z.infer<typeof probe>) {
  const path = found?.httpGet?.path
  if (path !== undefined) t.ok(routes.includes(`path: '${path}'`), path)
}
