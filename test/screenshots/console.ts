/**
 * Screenshots of the console for people to look at: `node dist/test/screenshots/console.js <folder>
 * [word …]`. A gateway with 0, 3 and 1,000 played sessions and tasks; each page wide and light, wide
 * and dark, and on a phone. Words select pages by name; with --first-screen a screenshot has only what is
 * visible without scrolling.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { keyScopeNames } from '../../proto/accounts/key-scopes.ts'
import type { HostRecord } from '../../proto/host.ts'
import { newId, newIncarnation, type Role } from '../../proto/ids.ts'
import type { ServiceAuditEntry } from '../../proto/service-audit.ts'
import { subjects } from '../../proto/subjects.ts'
import type { EndReason, SessionStatus, SessionView } from '../../proto/session/session.ts'
import { packageRoot } from '../../runtime/lib/package.ts'
import { launchChromium } from '../helpers/browser/local-chromium.ts'
import { PlayedRecords } from '../helpers/console/played-records.ts'
import { openConsoleIn } from '../helpers/console/signing-in.ts'
import { playService, playedView } from '../helpers/gateway/gateway.ts'
import { keyOf } from '../helpers/gateway/played/keys.ts'
import { TaskActor } from '../helpers/tasks/played-task.ts'
import { furnishTask } from './console-tasks.ts'
import { MemoryLog } from '../helpers/runtime/memory-store.ts'

const given = process.argv.slice(2)
const fullPage = !given.includes('--first-screen')
const [folder, ...words] = given.filter((word) => !word.startsWith('--'))
if (folder === undefined) throw new Error('name a folder for the pictures')
mkdirSync(folder, { recursive: true })

const looks = [
  { name: 'light', colorScheme: 'light', width: 1440, height: 900 },
  { name: 'dark', colorScheme: 'dark', width: 1440, height: 900 },
  { name: 'phone', colorScheme: 'light', width: 360, height: 740 },
] as const

const tenants = {
  ...{ nothing: keyOf('nothing'), three: keyOf('three'), many: keyOf('many') },
  operator: keyOf('house', { name: 'operator', scopes: keyScopeNames, allowPrivate: true }),
}
const GiB = 2 ** 30
const serviceAudit = new MemoryLog()
const picture = readFileSync(join(packageRoot, 'gateway/portal/changes.png'))
const records = new PlayedRecords()
const service = await playService({
  ...{ feed: records.feed, task: new TaskActor() },
  env: { AI_PROVIDER: 'openai', OPENAI_API_KEY: 'a key of nobody' },
  keys: Object.values(tenants).map(({ record }) => record),
  serviceAudit,
  usage: async () => [
    { stream: 'LOG', bytes: 0.4 * GiB, maxBytes: 1.3 * GiB, refuses: true },
    { stream: 'PICTURES', bytes: 0.39 * GiB, maxBytes: 0.4 * GiB, refuses: false },
    { stream: 'KV_views', bytes: 0.01 * GiB, maxBytes: 0.32 * GiB, refuses: true },
  ],
  async node(subject) {
    if (!subject.endsWith('.glance')) return { ok: true, value: [] }
    const pages = [{ id: 'p', title: 'Order 1042 – The Shop', url: 'https://shop.example/orders' }]
    return { ok: true, value: { pages, image: picture } }
  },
})

const minute = 60_000
const states: readonly (readonly [SessionStatus, EndReason?])[] = [
  ['running'],
  ['running'],
  ['starting'],
  ['unreachable'],
  ['completed', 'idle'],
  ['failed', 'browser_crashed'],
]

function furnish(tenant: string, n: number): SessionView {
  const now = Date.now()
  const [status, reason] = states[n % states.length]!
  const isOver = reason !== undefined
  const view: SessionView = {
    ...playedView(newId('ses')),
    ...{
      tenant,
      status,
      keyName: ['ci', 'checkout tests', 'support'][n % 3]!,
      nodeId: `host-${n % 4}`,
    },
    createdAtMs: now - n * 3 * minute - 40_000,
    tags: [['checkout', 'nightly'], [], ['invoice-export']][n % 3]!,
    use: { traffic: { sentBytes: n * 9_000, receivedBytes: n * 140_000 }, domains: [] },
    ...(isOver ? { reason, endedAtMs: now - n * minute } : { expiresAtMs: now + 17 * minute }),
    ...(status === 'running' && n % 2 === 1 && { idleExpiresAtMs: now + 4 * minute }),
  }
  service.views.set(view)
  return view
}

function runProcess(nodeId: string, role: Role, more: Partial<HostRecord> = {}): void {
  const incarnation = newIncarnation(nodeId, role, Date.now() - 95 * minute)
  const machineLoad = { cores: 8, load: 2.35, memoryBytes: 32 * GiB, memoryFreeBytes: 21 * GiB }
  service.hosts.set({
    ...{ nodeId, role, incarnation, state: 'alive', leaseMs: 10_000, machine: nodeId },
    ...{ version: '1.0.0', wallMs: Date.now() },
    machineLoad: { ...machineLoad, processBytes: 0.12 * GiB },
    ...more,
  })
}

const browsers = { capacity: 8, warm: 2, booting: 1, claimed: 3, queued: 0, ready: true }
for (const n of [0, 1, 2, 3]) {
  const isFull = n === 2
  runProcess(`host-${n}`, 'node-agent', {
    state: (['alive', 'silent', 'alive', 'draining'] as const)[n]!,
    isolation: 'full',
    dataUrl: `http://10.0.0.${n + 10}:7070`,
    browsers: { ...browsers, ...(isFull && { warm: 0, claimed: 8, queued: 4 }) },
  })
}
runProcess('host-0', 'gateway', { publicUrl: 'https://browsers.example.com' })
runProcess('host-0', 'actors')
runProcess('host-1', 'actors', { state: 'dead', by: 'host-0.actors' })

const audited: readonly Partial<ServiceAuditEntry>[] = [
  { action: 'session.create', session_id: newId('ses'), address: '203.0.113.7' },
  { action: 'key.refuse', outcome: 'refused', address: '198.51.100.4', count: 12 },
  { action: 'key.create', address: 'cli', detail: { name: 'checkout tests' } },
]
for (const [n, entry] of audited.entries()) {
  const at = new Date(Date.now() - n * minute).toISOString()
  const whole = { at, outcome: 'done', tenant: 'many', key_id: tenants.many.record.id, ...entry }
  const bytes = Buffer.from(JSON.stringify(whole))
  await serviceAudit.add(subjects.serviceAudit('many'), bytes, String(n))
}

const three = [0, 1, 2].map((n) => furnish('three', n))
for (let n = 0; n < 1_000; n++) furnish('many', n)
const played = { views: service.taskViews, records, picture }
const threeTasks = []
for (const n of [0, 1, 2]) {
  const sessionId = three[0]!.id
  threeTasks.push(await furnishTask(played, 'three', n, { sessionId, steps: 3 }))
}
for (let n = 0; n < 1_000; n++) await furnishTask(played, 'many', n)
const [working, asking, done] = threeTasks.map(({ id }) => `/console/tasks/${id}`)

const pages: Readonly<Record<keyof typeof tenants, Readonly<Record<string, string>>>> = {
  nothing: {
    ...{ list: '/console', new: '/console/sessions/new', unknown: '/console/none' },
    ...{ tasks: '/console/tasks', 'new-task': '/console/tasks/new' },
    ...{ hosts: '/console/hosts', keys: '/console/keys', usage: '/console/usage' },
  },
  operator: {
    ...{ hosts: '/console/hosts', keys: '/console/keys', 'new-key': '/console/keys/new' },
    'usage-by-key': '/console/usage?by=key&measure=received_bytes&period=year',
    ...{ audit: '/console/audit', 'nothing-found': '/console/audit?address=none' },
  },
  three: {
    ...{ list: '/console', session: `/console/sessions/${three[0]!.id}`, tasks: '/console/tasks' },
    ...{ 'task-working': working!, 'task-asking': asking!, 'task-done': done! },
  },
  many: {
    ...{ list: '/console', ended: '/console?show=ended', none: '/console?search=zebra' },
    search: '/console?search=nightly&show=all&page=2',
    ...{ tasks: '/console/tasks?show=active', usage: '/console/usage' },
  },
}

const browser = await launchChromium()
try {
  for (const { name: look, colorScheme, width, height } of looks) {
    const options = { colorScheme, viewport: { width, height } }
    const entry = await browser.newPage(options)
    await entry.goto(`${service.gateway.url}/console`)
    await shoot(entry, `sign-in-${look}`)
    await entry.close()
    for (const [tenant, paths] of Object.entries(pages)) {
      const { text } = tenants[tenant as keyof typeof tenants]
      const opened = await openConsoleIn(browser, service.gateway.url, text, options)
      for (const [name, path] of Object.entries(paths)) {
        const title = `${tenant}-${name}-${look}`
        if (words.length > 0 && !words.some((word) => title.includes(word))) continue
        await opened.page.goto(service.gateway.url + path)
        if ((await opened.page.locator('[data-glance]').count()) > 0) {
          await opened.page.waitForSelector('.picture img', { timeout: 5_000 }).catch(() => {})
        }
        await shoot(opened.page, title)
      }
      await opened.context.close()
    }
  }
} finally {
  await browser.close()
  await service.close()
}

async function shoot(page: Page, title: string): Promise<void> {
  await page.screenshot({ path: join(folder!, `${title}.png`), fullPage })
  console.log(title)
}
