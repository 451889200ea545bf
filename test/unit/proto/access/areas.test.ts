// Goal: the definitions of the sixteen areas are consistent: every field used for filtering,
// sorting or references exists, ids of different kinds have different prefixes, and each area
// accepts a record as a user would write it and no unknown field.
import t from 'tap'
import { z } from 'zod'
import { areaKeys, areaRules, type AreaKey } from '../../../../proto/access/areas/areas.ts'
import { commonFields } from '../../../../proto/access/areas/define-area.ts'
import { areaPrefixes, newRecordId } from '../../../../proto/access/areas/prefixes.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { accessPrefixes } from '../../../../proto/access/ids.ts'

const at = '2026-03-01T10:00:00Z'
const samples: Readonly<Record<AreaKey, Readonly<Record<string, unknown>>>> = {
  contacts: {
    first_name: 'Ada',
    email: 'Ada@Example.com',
    phone: '+4915112345678',
    address: { city: 'Berlin', country: 'DE' },
    do_not_contact: { sms: true },
    consent: { basis: 'contract', at },
    custom_fields: { tier: 'gold', seats: 5, trial: false },
    tags: ['press'],
  },
  opportunities: { name: 'Relaunch', amount: { value: 1_200_000, currency: 'EUR' } },
  tasks: { title: 'Call back', related: { area: 'contacts', id: newRecordId('contacts') } },
  onboarding: { name: 'Shop', steps: [{ key: 'dns', title: 'Point the DNS', owner: 'client' }] },
  'seo-audits': { site_url: 'https://example.com/', status: 'queued' },
  reports: {
    kind: 'metrics',
    title: 'March',
    sections: [{ heading: 'Up', kind: 'text', body: 'x' }],
  },
  'content-gaps': { topic: 'Sizes', keyword: 'shoe sizes', competitors: [{ domain: 'a.example' }] },
  'market-scans': { title: 'Shoes', market: 'DE', status: 'completed' },
  projects: { name: 'Shop', milestones: [{ title: 'Beta' }] },
  deployments: { environment: 'staging', release: '1.4.0', commit_sha: '0a1b2c3' },
  domains: { hostname: 'xn--bcher-kva.example', tls: { issuer: 'R3', not_after: at } },
  monitoring: { name: 'Shop', kind: 'http', target: 'https://example.com/health' },
  'workflow-actions': { key: 'resend-invoice', name: 'Resend', inputs_schema: { type: 'object' } },
  enrichment: {
    subject: { area: 'contacts', id: newRecordId('contacts') },
    fields: ['phone'],
    status: 'queued',
  },
  extraction: {
    source_urls: ['https://example.com'],
    schema: { type: 'object' },
    status: 'failed',
  },
  'ai-assistance': { kind: 'draft', prompt: 'A short answer', status: 'completed', output: 'Hi' },
}

for (const key of areaKeys) {
  t.test(`${key}: its definition is consistent`, async (t) => {
    const area = areaDefinitions[key]
    t.equal(area.key, key)
    for (const name of [...area.filterable, ...area.sortable]) {
      t.ok(area.fieldNames.includes(name), `${name} is a field`)
    }
    for (const { field } of area.references) t.ok(area.fieldNames.includes(field))
    for (const name of commonFields)
      t.notOk(area.fieldNames.includes(name), `${name} is not its own`)
    const isKept = areaRules[key].actions.includes('write')
    t.same(area.operations, isKept ? ['create', 'patch', 'delete'] : [])
    t.ok(area.events.length > 0)
    t.doesNotThrow(() => z.toJSONSchema(area.record, { io: 'input' }))
  })

  t.test(`${key}: accepts a record as a user writes it, and no other field`, async (t) => {
    const { record } = areaDefinitions[key]
    const once = record.parse(samples[key])
    t.same(record.parse(once), once, 'what is stored fits again')
    t.notOk(record.safeParse({ ...samples[key], client_id: 'cli_x' }).success)
  })
}

t.test('ids of two kinds never have the same prefix', async (t) => {
  // The actor of a report has its record's id.
  const { report, ...entities } = accessPrefixes
  t.equal(report, areaPrefixes.reports)
  const taken = [...Object.values(areaPrefixes), ...Object.values(entities)]
  const others = ['ses', 'brw', 'tsk', 'key', 'evt', 'exp', 'aud']
  const all = [...taken, ...others]
  t.equal(new Set(all).size, all.length)
})

t.test('almost valid values are refused', async (t) => {
  const refused: readonly [AreaKey, Readonly<Record<string, unknown>>][] = [
    ['contacts', { phone: '0151 1234' }],
    ['contacts', { website: 'javascript:alert(1)' }],
    ['contacts', { email: 'a@b' }],
    ['opportunities', { name: 'x', amount: { value: 1.5, currency: 'EUR' } }],
    ['opportunities', { name: 'x', expected_close_on: '2026-02-30' }],
    ['opportunities', { name: 'x', probability: 101 }],
    ['tasks', { title: 'x', due_at: 'tomorrow' }],
    ['tasks', { title: 'x', related: { area: 'tasks', id: newRecordId('contacts') } }],
    ['domains', { hostname: 'bücher.example' }],
    ['contacts', { custom_fields: { __Proto: 1 } }],
  ]
  for (const [area, fields] of refused) {
    t.notOk(areaDefinitions[area].fields.safeParse(fields).success, JSON.stringify(fields))
  }
})
