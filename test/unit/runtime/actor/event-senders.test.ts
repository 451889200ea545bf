/**
 * Goal: no state machine waits for an event that the product never sends, as grants once waited for
 * the one that says that they were used. Method: read the sources for who sends each event of each
 * machine: to the actor by its protocol, or as the result of an effect of its own.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { actorKinds, type ActorDeps } from '../../../../actors/registry.ts'
import { packageRoot } from '../../../../runtime/lib/package.ts'

const rooms = ['gateway', 'actors', 'runtime', 'node-agent']
const sources = new Map(
  rooms.flatMap((room) =>
    readdirSync(join(packageRoot, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => [`${room}/${name}`, readFileSync(join(packageRoot, room, name), 'utf8')]),
  ),
)

/** Events that the runtime sends to every actor that takes them, and where. */
const ofTheRuntime: Readonly<Record<string, string>> = {
  'effect.failed': 'runtime/actor/cell/cell-effects.ts',
  'effect.unknown': 'runtime/actor/cell/cell-effects.ts',
  recovered: 'runtime/actor/cell/cell.ts',
  'host.dead': 'runtime/actor/host/host.ts',
  'host.silent': 'runtime/actor/host/host.ts',
  'host.back': 'runtime/actor/host/host.ts',
}

/** Events whose sender gets their name from its caller: where the name is given. */
const byName: Readonly<Record<string, string>> = {
  'session browser.adopt': 'node-agent/sessions/inheritance.ts',
  'session browser.used': 'node-agent/sessions/session-use.ts',
  'session recording.made': 'node-agent/video/made-reports.ts',
  'task pause': 'gateway/tasks/tasks.ts',
  'task resume': 'gateway/tasks/tasks.ts',
  'client scope_confirmed': 'actors/access/scope/machine.ts',
  'client scope_retired': 'actors/access/scope/machine.ts',
  'client offboard': 'gateway/access/governance/client-routes.ts',
  'client suspend': 'gateway/access/governance/client-routes.ts',
  'client resume': 'gateway/access/governance/client-routes.ts',
  'change fail': 'gateway/access/changes/routes.ts',
  'change roll_back': 'gateway/access/changes/routes.ts',
  'person propose_removal': 'gateway/access/people/removal-routes.ts',
  'person withdraw_removal': 'gateway/access/people/removal-routes.ts',
  'report update': 'gateway/access/reports/reports.ts',
  'report publish': 'gateway/access/reports/reports.ts',
  'report withdraw': 'gateway/access/reports/reports.ts',
}

const escaped = (text: string) => text.replaceAll('.', '\\.')
const ownFolder = (kind: string) => new RegExp(`^actors/(access/)?${kind}/`)
/** What takes events: the machine itself, its rules, its view, and the tool that plays it. */
const takers = /\/(machine|admit|view|rehearsal|kind|context)\b/

/** The files that send the event, by their paths. */
function sendersOf(kind: string, event: string): readonly string[] {
  const sent = new RegExp(`type: '${escaped(event)}'`)
  const toActor = new RegExp(`\\b${kind}Actor\\b`)
  const isOwn = (file: string) => ownFolder(kind).test(file)
  return [...sources]
    .filter(([, text]) => sent.test(text))
    .filter(([file, text]) => (isOwn(file) ? !takers.test(file) : toActor.test(text)))
    .map(([file]) => file)
}

/** A deadline is set where its name stands in its own folder, other than in its event. */
function isDeadlineSet(kind: string, name: string): boolean {
  const set = new RegExp(`(?<!deadline\\.)\\b${name}\\b(: |,| =|\\?:|', )`)
  return [...sources].some(([file, text]) => ownFolder(kind).test(file) && set.test(text))
}

function isSent(kind: string, event: string): boolean {
  if (event.startsWith('deadline.')) return isDeadlineSet(kind, event.slice('deadline.'.length))
  const where = ofTheRuntime[event] ?? byName[`${kind} ${event}`]
  if (where === undefined) return sendersOf(kind, event).length > 0
  return new RegExp(`'${escaped(event)}'`).test(sources.get(where) ?? '')
}

const kinds = actorKinds({} as ActorDeps)
for (const { protocol, machine } of kinds) {
  t.test(`every event of ${protocol.kind} has a sender`, async (t) => {
    t.not(machine.events.length, 0)
    t.same(
      machine.events.filter((event: string) => !isSent(protocol.kind, event)),
      [],
    )
  })
}

t.test('an event that only its machine knows is found', async (t) => {
  t.notOk(isSent('grant', 'admired'))
  t.notOk(isSent('grant', 'deadline.admired'))
  t.same(sendersOf('grant', 'used'), ['runtime/access/grant-uses.ts'])
})

t.test('the lists above name nothing that has gone', async (t) => {
  const all = kinds.flatMap(({ protocol, machine }) =>
    machine.events.map((event: string) => [event, `${protocol.kind} ${event}`]),
  )
  const known = new Set(all.flat())
  const named = [...Object.keys(ofTheRuntime), ...Object.keys(byName)]
  t.same(
    named.filter((name) => !known.has(name)),
    [],
  )
})
