/** A simulated life of a job for the host's rehearsal. */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { JobInput } from '../../../proto/access/jobs/job.ts'
import type { OutcomeOf, Rehearsal } from '../../../runtime/actor/actor-kind.ts'
import type { jobMachine } from './machine.ts'

const url = 'https://example.com/'
const turn = {
  sessionId: 'ses_rehearsal',
  nodeId: 'host',
  browserId: 'brw_rehearsal',
  epoch: 1,
} as const
const area = 'seo-audits'

export const jobRehearsal: Rehearsal<JobInput, OutcomeOf<typeof jobMachine>> = {
  input: {
    id: `seo_${'0'.repeat(26)}`,
    tenant: 'cli_rehearsal',
    createdAtMs: 0,
    origin: { by: systemAuthor('jobs') },
    order: { area, siteUrl: url, strategy: 'mobile', pagesMost: 2, sessionIds: [turn.sessionId] },
  },
  events: [
    { type: 'recorded' },
    { type: 'stepped', step: { area, kind: 'opened', turn } },
    {
      type: 'stepped',
      step: {
        area,
        kind: 'origin',
        site: { origin: 'https://example.com', robots: '', hasSitemap: false },
        urls: [],
        disallowed: [],
        warnings: [],
      },
    },
    {
      type: 'stepped',
      step: {
        area,
        kind: 'visited',
        turn,
        page: { url, status: 200, kind: 'html', hops: 0, noindex: false },
        found: [{ rule: 'title_missing', count: 1, spots: [] }],
        links: [`${url}next`],
        warnings: [],
      },
    },
    { type: 'cancel', by: systemAuthor('jobs') },
    { type: 'finished' },
  ],
}
