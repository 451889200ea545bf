/**
 * A world for the portal's pages of changes: a member who can see monitoring and requests changes,
 * and people who decide on them, each in a browser without scripts.
 */
import type { Test } from 'tap'
import { newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { buckets } from '../../../../proto/subjects.ts'
import { createdRecord } from '../../../../runtime/access/records/change.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { until } from '../../lib/until.ts'
import { patient } from '../asking.ts'
import { grantTo } from '../clients.ts'
import { password } from '../people.ts'
import { PlainBrowser, textOf, unescaped, type Fields, type PageHeard } from './plain-browser.ts'
import { openWorld } from '../world.ts'

export const reason = 'It is what was agreed on.'

export const idIn = ({ path }: PageHeard) => /chg_\w+/.exec(path)?.[0] ?? ''
export const linkTo = ({ html }: PageHeard, part: string) =>
  unescaped(new RegExp(`href="([^"]*${part}[^"]*)"`).exec(html)?.[1] ?? '')

/** To the second, as a browser may send it. */
const local = (ms: number) => new Date(ms).toISOString().slice(0, 19)
/** A window that opened less than a second ago. */
export const soon = () => ({
  window_start: local(Date.now()),
  window_end: local(Date.now() + 3_600_000),
})

export const plans = {
  ...{ impact: 'Nobody notices it.', test_plan: 'A check comes each minute.' },
  ...{ rollback_plan: 'Set the interval back.', type: 'normal', risk: 'medium' },
}
/** The fields of a monitor as a browser sends them when none was edited. */
export const monitorFields = {
  ...{ 'patch.name': 'Shop', 'patch.kind': 'http', 'patch.target': 'https://shop.example' },
  ...{ 'patch.interval_s': '300', 'patch.status': 'unknown' },
}

/** `net`: the first three numbers of the browsers' addresses. */
export async function openPortalChanges(t: Test, net: string) {
  const world = await openWorld(t)
  const { service, insider, a, b, deciders, staff } = world
  const records = new RecordStore(insider.store.bucket(buckets.records))
  let browsers = 0

  async function signedIn(email: string): Promise<PlainBrowser> {
    const one = new PlainBrowser(service.baseUrl, `${net}.${++browsers}`)
    await until('they are signed in', async () => {
      return (await one.signIn(email, password)).status === 200
    })
    return one
  }

  async function recordOf(area: 'monitoring' | 'domains', fields: object): Promise<string> {
    const id = newRecordId(area)
    const made = { client: a.id, area, id, fields: { ...fields }, action: 'import' } as const
    await records.create(createdRecord(made, { by: systemAuthor('import') }, Date.now()))
    return id
  }
  const monitorOf = (name: string) =>
    recordOf('monitoring', { name, kind: 'http', target: 'https://shop.example', interval_s: 300 })
  /** Lets the member see an area in the portal. */
  const show = (area: 'monitoring' | 'domains') =>
    grantTo(insider.directory, a, deciders, {
      ...{ path: 'portal', subject: { kind: 'person', id: a.member.id } },
      permissions: [{ area, actions: ['read'] }],
    })
  await show('monitoring')

  const member = await signedIn(a.member.email)
  const managing = await staff('change_manager', 'operator')
  const operating = await staff('operator')
  const people = {
    member,
    owner: await signedIn(a.owner.email),
    stranger: await signedIn(b.owner.email),
    manager: await signedIn(managing.email),
    operator: await signedIn(operating.email),
  }

  /** A draft of the member, for a monitor that they see. */
  async function drafted(target: string, more: Fields = {}) {
    const form = await until('the gateway knows grant and record', async () => {
      const path = `/portal/changes/new?kind=monitoring&area=monitoring&record=${target}`
      const page = await member.get(path)
      return page.html.includes('value="https://shop.example"') && page
    })
    return member.submit(form, '/portal/changes/new', {
      ...{ title: 'Ask the shop more often', need_id: a.need, ...plans, ...monitorFields },
      ...{ 'patch.interval_s': '60', ...more },
    })
  }

  async function proposed(target: string, more: Fields = {}) {
    const draft = await drafted(target, more)
    const id = idIn(draft)
    const page = await member.submit(draft, `/portal/changes/${id}/propose`)
    t.match(textOf(page), /Change proposed\. The reviewers’ decision/)
    return id
  }

  async function decide(by: PlainBrowser, id: string, decision = 'approve') {
    const page = await by.get(`/staff/changes/${id}`)
    return by.submit(page, `/staff/changes/${id}/reviews`, { decision, reason })
  }

  async function approved(target: string, more: Fields = {}) {
    const id = await proposed(target, more)
    await decide(people.manager, id)
    return id
  }

  /** Scheduled by the manager, in a window that is open. */
  async function schedule(id: string) {
    const path = `/staff/changes/${id}`
    return people.manager.submit(await people.manager.get(path), `${path}/schedule`, soon())
  }

  return {
    ...{ ...world, ...people, operating, ask: patient(world.ask), records },
    ...{ signedIn, recordOf, monitorOf, show, drafted, proposed, decide, approved, schedule },
  }
}
