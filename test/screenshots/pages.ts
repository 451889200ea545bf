/** Which person looks at which page, for the screenshots of the portal. */
import { newRecordId } from '../../proto/access/areas/prefixes.ts'
import { systemAuthor } from '../../proto/access/author.ts'
import { platformTenant } from '../../proto/access/ids.ts'
import { buckets } from '../../proto/subjects.ts'
import { createdRecord } from '../../runtime/access/records/change.ts'
import { RecordStore } from '../../runtime/access/records/record-store.ts'
import { grantTo, makeClient } from '../helpers/access/clients.ts'
import { makePerson, password } from '../helpers/access/people.ts'
import type { Insider } from '../helpers/service/insider.ts'
import { crewOf, furnishChanges } from './changes.ts'
import { furnishOutward } from './outward.ts'

export interface Signed {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The people and passwords that the demo prints. */
export function demoPasswords(text: string): readonly Signed[] {
  const found = [...text.matchAll(/^\s*((\w+)@\S+).*password (\S+)/gm)]
  return found.map(([, email = '', name = '', secret = '']) => ({ name, email, password: secret }))
}

/** Enough webhooks and reports for several pages of their lists. */
const outwardMost = 310

/** Clients with nothing, three rows, and thousands. */
export async function furnishRows(insider: Insider): Promise<readonly Signed[]> {
  const { directory, store } = insider
  const records = new RecordStore(store.bucket(buckets.records))
  const by = systemAuthor('screenshots')
  const staff = async (n: number) => {
    const email = `decider-${n}@provider.example`
    const roles = ['admin', 'reviewer'] as const
    return makePerson(directory, { tenant: platformTenant, email, roles, by })
  }
  const [one, two, three, maker] = [await staff(1), await staff(2), await staff(3), await staff(4)]
  const deciders = { first: one.author, second: two.author, third: three.author }
  const crew = await crewOf(directory)
  const people: Signed[] = [
    { name: 'maker', email: maker.email, password },
    { name: 'manager', email: crew.manager.email, password },
  ]
  for (const [slug, rows] of [
    ['nothing', 0],
    ['three', 3],
    ['many', 3_000],
  ] as const) {
    const client = await makeClient(directory, slug, deciders)
    const { member } = client
    people.push({ name: slug, email: member.email, password })
    if (slug === 'nothing') continue
    if (slug === 'three') {
      people.push({ name: 'urgent', email: client.owner.email, password })
      await grantTo(directory, client, deciders, {
        ...{ emergency: true, endsAtMs: Date.now() + 3 * 3_600_000 },
        subject: { kind: 'integration', id: 'shop-repair' },
        permissions: [{ area: 'contacts', actions: ['read'] }],
      })
    }
    await furnishChanges({ directory, records }, client, crew, rows === 3 ? 3 : 320)
    const outward = { rows: Math.min(rows, outwardMost), maker: maker.id }
    await furnishOutward(insider, client, deciders, outward)
    await grantTo(directory, client, deciders, {
      path: 'portal',
      subject: { kind: 'person', id: member.id },
      permissions: [
        { area: 'contacts', actions: ['read'] },
        { area: 'monitoring', actions: ['read'] },
      ],
    })
    for (let n = 0; n < rows; n++) {
      const fields = {
        ...{ first_name: ['Rosa', 'Tom', 'Hannah', 'Gus'][n % 4], last_name: `Delgado ${n}` },
        ...{ email: `person-${n}@example.com`, company_name: `Company ${n % 40}`, tags: [] },
        lifecycle_stage: ['lead', 'customer', 'subscriber'][n % 3],
      }
      const id = newRecordId('contacts')
      const order = { client: client.id, area: 'contacts', id, fields, action: 'create' } as const
      await records.create(createdRecord(order, { by }, Date.now() - n * 60_000))
    }
  }
  return people
}

type Pages = Readonly<Record<string, readonly string[]>>

/** Every part of the portal, with pages that are found by following its links. */
const member: Pages = {
  overview: ['/portal'],
  records: ['/portal/records'],
  access: ['/portal/access'],
  grants: ['/portal/grants'],
  grant: ['/portal/grants', 'Newsletter'],
  tokens: ['/portal/tokens'],
  ask: ['/portal/ask'],
  requests: ['/portal/requests'],
  request: ['/portal/requests', 'Newsletter'],
  needs: ['/portal/needs'],
  need: ['/portal/needs', 'Newsletter'],
  members: ['/portal/members'],
  profile: ['/portal/profile'],
  help: ['/portal/help'],
  unknown: ['/portal/unknown'],
  changes: ['/portal/changes'],
  custom: ['/portal/custom'],
}
const owner: Pages = {
  ...member,
  'new-need': ['/portal/needs/new'],
  reviews: ['/portal/reviews'],
  who: ['/portal/members', '= Who can do what'],
  invite: ['/portal/members/new'],
  person: ['/portal/members', 'Theo'],
  audit: ['/portal/audit'],
  'audit-entry': ['/portal/audit', ':'],
  verify: ['/portal/audit/verify'],
}
const reader: Pages = {
  ...member,
  tasks: ['/portal/records/tasks'],
  task: ['/portal/records/tasks', 'a'],
  'tasks-filtered': ['/portal/records/tasks?filter[priority]=high&sort=-title'],
  'tasks-none': ['/portal/records/tasks?filter[status]=cancelled'],
  monitoring: ['/portal/records/monitoring'],
  reports: ['/portal/records/reports'],
  contacts: ['/portal/records/contacts'],
}
const counted: Pages = {
  overview: ['/portal'],
  contacts: ['/portal/records/contacts'],
  access: ['/portal/access'],
  needs: ['/portal/needs'],
  requests: ['/portal/requests'],
  changes: ['/portal/changes'],
  'changes-table': ['/portal/changes/table'],
  'changes-calendar': ['/portal/changes/calendar'],
  custom: ['/portal/custom'],
  webhooks: ['/portal/webhooks'],
  deliveries: ['/portal/webhooks/deliveries'],
  reports: ['/portal/reports'],
  'new-webhook': ['/portal/webhooks/new'],
}
const asker: Pages = {
  ...counted,
  change: ['/portal/changes/table?state=done', 'Shop'],
  'change-review': ['/portal/changes/table?state=review', 'Shop'],
  'change-draft': ['/portal/changes/table?state=draft', 'Shop'],
  'change-templates': ['/portal/changes/templates'],
  'new-change': ['/portal/changes/new'],
  'new-change-record': ['/portal/changes/new?kind=monitoring'],
  'new-change-form': ['/portal/changes/new?kind=domain&record=new'],
  'new-change-project': ['/portal/changes/new?kind=record_patch&area=projects&record=new'],
  'new-view': ['/portal/changes/new?kind=custom_access&record=new&source=contacts'],
  'custom-view': ['/portal/custom', 'newsletter'],
  monitor: ['/portal/records/monitoring', 'Shop'],
}
const manager: Pages = {
  changes: ['/staff/changes'],
  'changes-table': ['/staff/changes/table'],
  'changes-calendar': ['/staff/changes/calendar'],
  'change-review': ['/staff/changes/table?state=review', 'Shop'],
  'change-approved': ['/staff/changes/table?state=approved', 'Shop'],
  'change-scheduled': ['/staff/changes/table?state=scheduled', 'Shop'],
  'new-change': ['/staff/changes/new'],
  custom: ['/staff/custom'],
}
const rows: Pages = {
  ...counted,
  webhook: ['/portal/webhooks?status=active', '.example'],
  'webhook-pending': ['/portal/webhooks?status=pending', '.example'],
  'webhook-off': ['/portal/webhooks?status=disabled', '.example'],
  'webhook-secret': [
    '/portal/webhooks?status=active',
    '.example',
    '= Rotate the secret',
    '= Create a new secret',
  ],
  'webhook-edit': ['/portal/webhooks?status=active', '.example', '= Edit'],
  delivery: ['/portal/webhooks/deliveries', '.'],
  'delivery-failed': ['/portal/webhooks/deliveries?status=exhausted', '.'],
  report: ['/portal/reports?status=published', ' '],
  'report-withdrawn': ['/portal/reports?status=withdrawn', ' '],
}
const maker: Pages = {
  reports: ['/staff/reports'],
  'report-kind': ['/staff/reports/new'],
  'report-new': ['/staff/reports/new', '= Continue'],
  'report-draft': ['/staff/reports?status=draft', ' '],
  'report-edit': ['/staff/reports?status=draft', ' ', '= Edit the text'],
  webhooks: ['/staff/webhooks'],
  'webhooks-active': ['/staff/webhooks?status=active'],
  webhook: ['/staff/webhooks', '.example'],
  deliveries: ['/staff/webhooks/deliveries'],
}
const staff: Pages = {
  overview: ['/staff'],
  clients: ['/staff/clients'],
  'new-client': ['/staff/clients/new'],
  client: ['/staff/clients', 'Golden'],
  who: ['/staff/clients', 'Golden', '= Who can do what'],
  scopes: ['/staff/scopes'],
  'new-scope': ['/staff/scopes/new'],
  scope: ['/staff/scopes', 'Shop'],
  emergency: ['/staff/emergency'],
  reviews: ['/staff/reviews'],
  grants: ['/staff/grants'],
  needs: ['/staff/needs'],
  people: ['/staff/people'],
  members: ['/staff/members'],
  audit: ['/staff/audit'],
}

const pages: Readonly<Record<string, Pages>> = {
  urgent: { overview: ['/portal'], grants: ['/portal/grants'] },
  ...{ mina: owner, theo: reader, nothing: counted, three: rows, grace: staff, maker, manager },
  many: { ...asker, ...rows },
}

export const portalPages = (person: string): Pages => pages[person] ?? {}
