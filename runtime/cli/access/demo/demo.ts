import { systemAuthor } from '../../../../proto/access/author.ts'
import { grantActor } from '../../../../proto/access/grants/grant.ts'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { newSecretText } from '../../../../proto/access/people/secret-text.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { writeDemoRecords, type DemoWriteResult } from '../../../access/demo/samples.ts'
import { DemoWorld } from '../../../access/demo/world.ts'
import { RecordStore } from '../../../access/records/record-store.ts'
import { systemClock } from '../../../lib/clock.ts'
import { pollUntil } from '../../../lib/poll-until.ts'
import type { Directory } from '../../../actor/directory.ts'
import type { Store } from '../../../store/store.ts'
import { CommandFailed, type CliCommand } from '../../command.ts'
import { alignColumns } from '../../help.ts'
import { baseVariable, serviceBase } from '../../service-base.ts'
import { withDirectory } from '../../with-store.ts'
import { accessAnswer } from '../service/answers.ts'
import { DemoChain, isComplete } from './chain.ts'
import {
  demoCast,
  demoPeople,
  readDemo,
  tokenMs,
  type DemoPerson,
  type DemoState,
} from './state.ts'
import { retryWhileEarly } from './retry-while-early.ts'
import { callService, dataOf } from '../service/service.ts'

const by = systemAuthor('demo')

export const demoCommand: CliCommand = {
  usage: 'access demo [--yes]',
  about: 'Fill a demo client with records, people, two grants and a token, and show what to try.',
  more:
    'Everything is created over the API: requested by one person, reviewed by others. Running it ' +
    'again creates what is missing, and another token. Not for a service in real use: the ' +
    'demo adds staff of its own.',
  options: { yes: { help: 'Add the demo’s staff beside real ones.' } },
  settings: ['NATS_URL', 'DATA_DIR', 'PORT'],
  variables: baseVariable,
  examples: ['troupe access demo'],
  async run({ switches }) {
    const base = serviceBase()
    await withDirectory(async (directory, store) => {
      const found = await readDemo(store, Date.now())
      refuseRealStaff(found, switches.has('yes'))
      const made = isComplete(found)
        ? new Map<DemoPerson, string>()
        : await new DemoChain({ base, directory, store }, found).complete()
      const state = made.size === 0 ? found : await awaitViews(store)
      const written = await fill(store, state)
      console.error(demoSummary(state, written, made))
      console.log(sampleCommands(base, await mint(directory, base, state)).join('\n'))
    })
    return 0
  },
}

/** Refuses on a service in use, which must not get two more people who may decide on everything. */
function refuseRealStaff({ realStaff, people }: DemoState, isSure: boolean): void {
  if (realStaff.length === 0 || isSure || (people.ada && people.grace)) return
  throw new CommandFailed(
    `there are already staff (${realStaff.join(', ')}), and the demo adds two more who may decide ` +
      'on everything; --yes if that is what you want, or another DATA_DIR',
  )
}

const viewTimes = { everyMs: 50, withinMs: 10_000 }

/** Waits for the views in the store, which lag behind the actors' answers. */
async function awaitViews(store: Store): Promise<DemoState> {
  const readViews = () => readDemo(store, Date.now())
  const state = await pollUntil(systemClock, viewTimes, readViews, isComplete)
  if (isComplete(state)) return state
  throw new CommandFailed('the demo is not complete yet; run it again')
}

async function fill(store: Store, { client, people }: DemoState): Promise<DemoWriteResult> {
  const { ada, grace, mina, theo } = people
  if (!client || !ada || !grace || !mina || !theo) throw new CommandFailed('the demo is incomplete')
  const ids = { ada: ada.id, grace: grace.id, mina: mina.id, theo: theo.id }
  const world = new DemoWorld(client.id, ids, Date.now())
  return writeDemoRecords(new RecordStore(store.bucket(buckets.records)), world)
}

/**
 * Uses the operator's access to the store, so that the demo's people need not sign in for a new
 * token.
 */
async function mint(
  directory: Pick<Directory, 'ask'>,
  base: string,
  { client, grants: { newsletter } }: DemoState,
): Promise<string> {
  if (!client || !newsletter) throw new CommandFailed('the demo is incomplete')
  const { text, hash, hint } = newSecretText('token')
  const tokenId = newAccessId('token')
  const expiresAtMs = Date.now() + tokenMs
  const message = { type: 'mint', tokenId, hash, hint, name: 'demo', expiresAtMs, by } as const
  await directory.ask(grantActor, newsletter.id, message, { tenant: client.id })
  const order = { method: 'GET', path: '/v1/access', answer: dataOf(accessAnswer) } as const
  await retryWhileEarly('invalid_token', () => callService(base, text, order))
  return text
}

function demoSummary(
  { client, grants }: DemoState,
  { made, known }: DemoWriteResult,
  passwords: ReadonlyMap<DemoPerson, string>,
): string {
  const people = demoPeople.map((name): readonly string[] => {
    const password = passwords.get(name)
    const note = password === undefined ? 'already existed' : `password ${password}`
    return [demoCast[name].email, demoCast[name].is, note]
  })
  return [
    `${client?.name} (${client?.id}): ${made} records created, ${known} already existed.`,
    '',
    passwords.size > 0 ? 'People, whose passwords are not shown again:' : 'People:',
    alignColumns(people),
    '',
    'Grants:',
    alignColumns([
      [grants.newsletter?.id ?? '', 'a newsletter tool reads contacts, opportunities and tasks'],
      [grants.shop?.id ?? '', 'Theo reads what is delivered'],
    ]),
    '',
    `Sign in as one of them: npm run troupe -- access sign-in ${demoCast.grace.email}`,
    'Or try the token of the newsletter tool, which is valid for a day:',
    '',
  ].join('\n')
}

/** Shell commands to try; the last one is refused by the service. */
export function sampleCommands(base: string, token: string): readonly string[] {
  const curl = (path: string) => `curl -s '${base}${path}' -H 'Authorization: Bearer ${token}'`
  return [
    `${curl('/v1/contacts?limit=3')}   # its records`,
    `${curl('/v1/access')}   # what it may do, and why`,
    `${curl('/v1/deployments')}   # refused: not granted`,
  ]
}
