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
import { baseVariable, serviceBase } from '../../service-base.ts'
import { withDirectory } from '../../with-store.ts'
import { accessAnswer } from '../service/answers.ts'
import { DemoChain, type DemoChainDeps } from './chain.ts'
import { completeBoard, isBoardFilled } from './changes/board.ts'
import { completeGrants, hasGrants } from './grants.ts'
import { completeReports, hasReports } from './reports.ts'
import { DemoSignIns } from './sign-ins.ts'
import { isFounded, readDemo, tokenMs, type DemoState, type FoundedDemo } from './state.ts'
import { demoSummary, sampleCommands } from './summary.ts'
import { areRequestsWaiting, completeWaiting } from './waiting.ts'
import { retryWhileEarly } from './retry-while-early.ts'
import { callService, dataOf } from '../service/service.ts'

const by = systemAuthor('demo')

export const demoCommand: CliCommand = {
  usage: 'access demo [--yes]',
  about: 'Fill a demo client with records, people, grants, changes and reports; show what to try.',
  more:
    'Everything but the records is created over the API: requested by one person, reviewed by ' +
    'others. Requests and changes wait for each role that decides. Running it again creates what ' +
    'is missing, and another token. Not for a service in real use: the ' +
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
      const signIns = new DemoSignIns(base, directory)
      const [state, written] = isComplete(found)
        ? [found, await fill(store, found)]
        : await furnish({ directory, store }, found, signIns)
      console.error(demoSummary(base, state, written, signIns.passwords))
      console.log(sampleCommands(base, await mint(directory, base, state)).join('\n'))
    })
    return 0
  },
}

/** True if everything exists, so that no one has to sign in. */
const isComplete = (state: DemoState): state is FoundedDemo =>
  isFounded(state) &&
  hasGrants(state) &&
  isBoardFilled(state) &&
  hasReports(state) &&
  areRequestsWaiting(state)

/** Creates what is missing. Reports are last, because they are made from all that was there before. */
async function furnish(
  deps: DemoChainDeps,
  found: DemoState,
  signIns: DemoSignIns,
): Promise<readonly [FoundedDemo, DemoWriteResult]> {
  await new DemoChain(deps, found, signIns).complete()
  const founded = await awaitViews(deps.store, isFounded)
  const written = await fill(deps.store, founded)
  await completeGrants(signIns, founded)
  await completeBoard(signIns, founded)
  await completeWaiting(signIns, founded)
  await completeReports(signIns, founded)
  await signIns.signOut()
  return [await awaitViews(deps.store, isComplete), written]
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
async function awaitViews(
  store: Store,
  isEnough: (state: DemoState) => state is FoundedDemo,
): Promise<FoundedDemo> {
  const readViews = () => readDemo(store, Date.now())
  const state = await pollUntil(systemClock, viewTimes, readViews, isEnough)
  if (isEnough(state)) return state
  throw new CommandFailed('the demo is not complete yet; run it again')
}

async function fill(store: Store, { client, people }: FoundedDemo): Promise<DemoWriteResult> {
  const { ada, grace, mina, theo } = people
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
  { client, grants: { newsletter } }: FoundedDemo,
): Promise<string> {
  if (!newsletter) throw new CommandFailed('the demo is incomplete')
  const { text, hash, hint } = newSecretText('token')
  const tokenId = newAccessId('token')
  const expiresAtMs = Date.now() + tokenMs
  const message = { type: 'mint', tokenId, hash, hint, name: 'demo', expiresAtMs, by } as const
  await directory.ask(grantActor, newsletter.id, message, { tenant: client.id })
  const order = { method: 'GET', path: '/v1/access', answer: dataOf(accessAnswer) } as const
  await retryWhileEarly('invalid_token', () => callService(base, text, order))
  return text
}
