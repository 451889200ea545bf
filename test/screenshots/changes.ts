/** Changes in all their states, and a custom view, for the screenshots of the portal. */
import { newRecordId } from '../../proto/access/areas/prefixes.ts'
import { systemAuthor, type Author } from '../../proto/access/author.ts'
import { changeActor, type ChangeView } from '../../proto/access/changes/change.ts'
import { changeTerms, changeTermsOf } from '../../proto/access/changes/change-terms.ts'
import { newAccessId, platformTenant } from '../../proto/access/ids.ts'
import { createdRecord } from '../../runtime/access/records/change.ts'
import type { RecordStore } from '../../runtime/access/records/record-store.ts'
import type { Directory } from '../../runtime/actor/directory.ts'
import type { Client } from '../helpers/access/clients.ts'
import { makePerson, type Person } from '../helpers/access/people.ts'

type Asked = Pick<Directory, 'ask' | 'create'>

/** The people who decide on changes and carry them out. */
export interface Crew {
  readonly manager: Person
  readonly operator: Person
}

export async function crewOf(directory: Asked): Promise<Crew> {
  const make = (email: string, role: 'change_manager' | 'operator') =>
    makePerson(directory, {
      tenant: platformTenant,
      email,
      roles: [role],
      by: systemAuthor('pictures'),
    })
  return {
    manager: await make('manager@provider.example', 'change_manager'),
    operator: await make('operator@provider.example', 'operator'),
  }
}

const reason = 'It is what was agreed on with the team.'
const hourMs = 3_600_000
const titles = [
  'Ask the shop more often while the campaign runs',
  'Move the shop monitor to the new health address',
  'Count the planned outage of the shop out',
  'Watch the shop from a second place',
]
/** How far each change gets; more of them are pending or done than failed. */
const ends = [
  ...['draft', 'proposed', 'proposed', 'approved', 'scheduled', 'in_progress', 'done', 'done'],
  ...['done', 'returned', 'rejected', 'cancelled', 'failed'],
] as const

export async function furnishChanges(
  { directory, records }: { readonly directory: Asked; readonly records: RecordStore },
  client: Client,
  crew: Crew,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n++) {
    const id = newRecordId('monitoring')
    const fields = { name: `Shop ${n + 1}`, kind: 'http', target: 'https://shop.example' }
    const made = { client: client.id, area: 'monitoring', id, fields, action: 'import' } as const
    const by = { by: systemAuthor('pictures') }
    await records.create(createdRecord(made, by, Date.now()))
    const wished = { startMs: Date.now() + (n % 40) * 12 * hourMs + hourMs }
    const more = { target: { id, version: 1 }, patch: { interval_s: 60 + n } }
    const change = begin(directory, client, { ...common(client, n, wished.startMs), ...more })
    // The second one is proposed before the first is done, while both have the same target version.
    if (n % 8 === 0) {
      const second = { title: `${titles[n % 4]} (second try)`, ...more }
      await begin(directory, client, { ...common(client, n, wished.startMs), ...second }).propose()
    }
    await bring(change, crew, client, ends[n % ends.length]!, wished.startMs)
  }
  await makeView(directory, client, crew)
}

const common = ({ need }: Client, n: number, startMs: number) => ({
  ...{ title: titles[n % 4], kind: 'monitoring', need_id: need, impact: 'Nobody notices it.' },
  ...{ test_plan: 'The next check runs after the new interval.', risk: risks[n % 3] },
  ...{ rollback_plan: 'Set the interval back.', type: n % 14 === 0 ? 'emergency' : 'normal' },
  description: 'The team asked for it in GC-2041.',
  ...(n % 4 === 0 && {
    window: {
      start: new Date(startMs).toISOString(),
      end: new Date(startMs + 2 * hourMs).toISOString(),
    },
  }),
})
const risks = ['low', 'medium', 'high'] as const

function begin(directory: Asked, { id: tenant, member }: Client, body: object) {
  const id = newAccessId('change')
  const mine = { tenant, untilSettled: true }
  const by = member.author
  const terms = changeTermsOf(changeTerms.parse(body))
  let last: Promise<{ readonly view: ChangeView }> | undefined
  const draft = () =>
    (last ??= directory.create(
      changeActor,
      id,
      { id, tenant, by, createdAtMs: Date.now(), terms },
      mine,
    ))
  return {
    draft,
    async propose() {
      await draft()
      return (await directory.ask(changeActor, id, { type: 'propose', by }, mine)).view
    },
    async review(
      reviewer: Author,
      digest: string,
      decision: 'approve' | 'deny' | 'request_changes',
    ) {
      const review = { decision, reason, digest, reviewId: newAccessId('review') }
      await directory.ask(changeActor, id, { type: 'review', by: reviewer, ...review }, mine)
    },
    schedule: (operator: Author, startMs: number) => {
      const window = { startMs, endMs: startMs + 2 * hourMs }
      return directory.ask(changeActor, id, { type: 'schedule', by: operator, window }, mine)
    },
    start: (operator: Author) =>
      directory.ask(changeActor, id, { type: 'start', by: operator }, mine),
    complete: (operator: Author) => {
      const told = { evidence: ['https://ci.example/run/7'], notes: 'Seen at once.' }
      return directory.ask(changeActor, id, { type: 'complete', by: operator, ...told }, mine)
    },
    end: (type: 'fail' | 'cancel', author: Author) =>
      directory.ask(changeActor, id, { type, by: author, reason }, mine),
  }
}

type Change = ReturnType<typeof begin>

async function bring(
  change: Change,
  { manager, operator }: Crew,
  { member }: Client,
  end: (typeof ends)[number],
  startMs: number,
): Promise<void> {
  await change.draft()
  if (end === 'draft') return
  const { digest, policy } = await change.propose()
  if (end === 'proposed') return
  if (end === 'cancelled') return void (await change.end('cancel', member.author))
  if (end === 'returned') return change.review(manager.author, digest!, 'request_changes')
  if (end === 'rejected') return change.review(manager.author, digest!, 'deny')
  await change.review(manager.author, digest!, 'approve')
  // A change that takes two managers waits for the second.
  if ((policy?.slots[0]?.count ?? 0) > 1 || end === 'approved') return
  const isNow = end !== 'scheduled'
  await change.schedule(operator.author, isNow ? Date.now() : startMs)
  if (end === 'scheduled') return
  await change.start(operator.author)
  if (end === 'in_progress') return
  if (end === 'failed') return void (await change.end('fail', operator.author))
  await change.complete(operator.author)
}

async function makeView(directory: Asked, client: Client, { manager, operator }: Crew) {
  const patch = {
    ...{ slug: 'newsletter-list', title: 'Those who get the newsletter' },
    ...{ source_area: 'contacts', fields: ['first_name', 'last_name', 'email'] },
    where: [{ field: 'lifecycle_stage', equals: ['subscriber', 'customer'] }],
  }
  const body = { ...common(client, 1, 0), title: 'A list for the newsletter', patch }
  const change = begin(directory, client, { ...body, kind: 'custom_access' })
  const { digest } = await change.propose()
  await change.review(manager.author, digest!, 'approve')
  await change.review(client.owner.author, digest!, 'approve')
  await change.schedule(operator.author, Date.now())
  await change.start(operator.author)
  await change.complete(operator.author)
}
